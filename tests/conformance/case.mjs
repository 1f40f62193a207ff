// One case of the suite on a package, in Node or in a page: its session, its sets, and what is wrong with the outputs.
import { compareValues } from './compare.mjs';

function toApi(value, Tensor) {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((element) => toApi(element, Tensor));
  if (value instanceof Map) return new Map([...value].map(([key, element]) => [key, toApi(element, Tensor)]));
  return new Tensor(value.type, value.data, value.dims);
}

// What is wrong with the outputs of one set, '' where nothing is.
async function runSet(session, { inputs, outputs }, tolerance, Tensor) {
  const feeds = Object.fromEntries(inputs.map(({ name, value }) => [name, toApi(value, Tensor)]));
  const results = await session.run(feeds);
  const problems = outputs.map(({ name, value }) => {
    const problem = compareValues(results[name], value, tolerance);
    return problem && `output ${name} ${problem}`;
  });
  return problems.find(Boolean) ?? '';
}

/**
 * Runs one case {model, sets, tolerance, ops} as suite.mjs reads it. onnxruntime-web has no class for its errors; a
 * package that has OnnxError must throw nothing else.
 * @returns {Promise<{problem: string, code?: string, ops?: string[], broken?: boolean}>} problem is '' where it passes
 */
export async function runCase({ model, sets, tolerance, ops }, { InferenceSession, OnnxError, Tensor }) {
  const isExpected = (e) => (OnnxError ? e instanceof OnnxError : !(e instanceof WebAssembly.RuntimeError));
  let session;
  try {
    session = await InferenceSession.create(new Uint8Array(model));
    for (const set of sets) {
      const problem = await runSet(session, set, tolerance, Tensor);
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
