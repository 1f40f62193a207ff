// The page of all these examples: a file input; the chosen model runs on zeros, and the page lists its outputs, and what
// ran it. `?worker` asks for a session in a worker, `?threads=2` for threads (on a page that is cross-origin isolated).

/** A tensor of zeros for an input; dimensions that the model leaves open are 1. */
function zeros({ Tensor }, { type, shape }) {
  const dims = shape.map((d) => (typeof d === 'number' ? d : 1));
  const length = dims.reduce((a, b) => a * b, 1);
  return new Tensor(type, Array(length).fill(type.includes('64') && type !== 'float64' ? 0n : 0), dims);
}

async function run(ort, file) {
  const asked = new URLSearchParams(location.search);
  if (asked.has('threads')) ort.env.wasm.numThreads = Number(asked.get('threads'));
  const session = await ort.InferenceSession.create(file, asked.has('worker') ? { worker: true } : {});
  try {
    const feeds = Object.fromEntries(session.inputMetadata.map((input) => [input.name, zeros(ort, input)]));
    const outputs = await session.run(feeds);
    const { threads, worker } = session.info;
    const lines = Object.entries(outputs).map(([name, { type, dims }]) => `${name}: ${type}[${dims.join(', ')}]`);
    return [...lines, `${threads} ${threads === 1 ? 'thread' : 'threads'}${worker ? ' in a worker' : ''}`];
  } finally {
    await session.release();
  }
}

/** @param {typeof import('sardonyx')} ort @param {HTMLElement} root */
export function start(ort, root) {
  root.innerHTML = '<label>A model: <input type="file" accept=".onnx"></label><pre></pre>';
  const [input, output] = [root.querySelector('input'), root.querySelector('pre')];
  input.addEventListener('change', async () => {
    output.textContent = '...';
    output.textContent = await run(ort, input.files[0]).then(
      (lines) => lines.join('\n'),
      (error) => String(error),
    );
  });
}
