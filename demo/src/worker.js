// The session lives here, so that the page never freezes. Answers {id, result} or {id, error}; also sends {progress}.
import { InferenceSession, Tensor } from 'sardonyx';

let session;

function valueFor(plain) {
  return plain && new Tensor(plain.type, plain.data, plain.dims);
}

/** What can be cloned of a value: tensors as {type, dims, data}, the rest as text. */
function plainOf(value, transfer) {
  if (!(value instanceof Tensor)) return { text: describe(value) };
  const { type, dims, data } = value;
  if (ArrayBuffer.isView(data)) transfer.add(data.buffer);
  return { type, dims, data };
}

function describe(value) {
  if (value === null) return 'none';
  if (value instanceof Tensor) return `${value.type}[${value.dims.join(', ')}]`;
  if (Array.isArray(value)) return `a sequence of ${value.length}: ${value.slice(0, 20).map(describe).join(', ')}`;
  if (value instanceof Map) {
    const entries = [...value]
      .slice(0, 50)
      .map(([key, item]) => `${key}: ${item instanceof Object ? describe(item) : item}`);
    return `a map of ${value.size}: ${entries.join(', ')}`;
  }
  return String(value);
}

const actions = {
  async load({ model, externalData }) {
    await session?.release();
    session = undefined;
    const start = performance.now();
    const onProgress = (progress) => postMessage({ progress });
    session = await InferenceSession.create(model, { externalData, onProgress });
    const { inputMetadata, outputMetadata, metadata, info } = session;
    const ms = performance.now() - start;
    return { inputs: inputMetadata, outputs: outputMetadata, metadata, info, memory: session.memory(), ms };
  },

  async run({ feeds, repeat, profile }, transfer) {
    const tensors = Object.fromEntries(Object.entries(feeds).map(([name, plain]) => [name, valueFor(plain)]));
    const times = [];
    let results;
    for (let i = 0; i < repeat; ++i) {
      const start = performance.now();
      results = await session.run(tensors, { profile });
      times.push(performance.now() - start);
    }
    const outputs = Object.entries(results).map(([name, value]) => ({ name, ...plainOf(value, transfer) }));
    return { outputs, times, profile: profile ? session.profile() : undefined, memory: session.memory() };
  },
};

addEventListener('message', async ({ data: { id, action, request } }) => {
  const transfer = new Set();
  try {
    const result = await actions[action](request, transfer);
    postMessage({ id, result }, [...transfer]);
  } catch (error) {
    const { message, code, node, opType } = error;
    postMessage({ id, error: { message, code, node, opType } });
  }
});
