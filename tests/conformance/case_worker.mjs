// Runs cases of the suite in a worker thread, one after the other, and posts the result of each.
// workerData: {folder, ids}. Posts {id, problem, code, ops, ms, broken}; problem is '' where the case passes.
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, OnnxError, Tensor } from '../models/package.mjs';
import { compareValues } from './compare.mjs';
import { readUndecided } from './expectations.mjs';
import { readCase } from './suite.mjs';

const undecided = readUndecided();

// onnxruntime-web, where SARDONYX_PACKAGE names it, has no class for its errors; ours must throw nothing else.
const isExpected = (error) => (OnnxError ? error instanceof OnnxError : !(error instanceof WebAssembly.RuntimeError));

function toApi(value) {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(toApi);
  if (value instanceof Map) return new Map([...value].map(([key, element]) => [key, toApi(element)]));
  return new Tensor(value.type, value.data, value.dims);
}

// What is wrong with the outputs of one set, '' where nothing is.
async function runSet(session, { inputs, outputs }, tolerance) {
  const feeds = Object.fromEntries(inputs.map(({ name, value }) => [name, toApi(value)]));
  const results = await session.run(feeds);
  const problems = outputs.map(({ name, value }) => {
    const problem = compareValues(results[name], value, tolerance);
    return problem && `output ${name} ${problem}`;
  });
  return problems.find(Boolean) ?? '';
}

async function runCase(id) {
  const { model, sets, tolerance, ops } = readCase(workerData.folder, id);
  let session;
  try {
    session = await InferenceSession.create(new Uint8Array(model));
    for (const set of sets) {
      const problem = await runSet(session, set, undecided.has(id) ? { typesOnly: true } : tolerance);
      if (problem) return { problem, code: 'output', ops };
    }
    return { problem: '' };
  } catch (error) {
    const expected = isExpected(error);
    const problem = expected ? error.message : `${error.name}: ${error.message} (not an OnnxError)`;
    return { problem: String(problem).split('\n')[0], code: error.code ?? error.name, ops, broken: !expected };
  } finally {
    await session?.release();
  }
}

for (const id of workerData.ids) {
  const begin = performance.now();
  const result = await runCase(id);
  parentPort.postMessage({ id, ...result, ms: performance.now() - begin });
  if (result.broken) break;
}
