// Runs the suite's cases in worker threads: a case that traps, hangs or ends the thread costs only itself.
import { Worker } from 'node:worker_threads';

const kTimeout = 60_000; // ms for one case: the heaviest light networks take seconds

// Runs `ids` in one worker until it is through or a case breaks it; gives the results of the cases that it got to.
function runInWorker(folder, ids) {
  return new Promise((done) => {
    const results = [];
    const worker = new Worker(new URL('case_worker.mjs', import.meta.url), { workerData: { folder, ids } });
    let timer;
    const finish = (problem) => {
      clearTimeout(timer);
      const last = results.at(-1);
      if (!last?.broken && results.length < ids.length) {
        results.push({ id: ids[results.length], problem, code: 'crash', ops: [], ms: 0, broken: true });
      }
      worker.terminate().then(() => done(results));
    };
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(`no result within ${kTimeout / 1000} s`), kTimeout);
    };
    watch();
    worker.on('message', (result) => {
      results.push(result);
      if (result.broken || results.length === ids.length) finish('');
      else watch();
    });
    worker.on('error', (error) => finish(`the thread ended: ${error.message}`));
    worker.on('exit', (code) => finish(`the thread ended with code ${code}`));
  });
}

/** Results {id, problem, code, ops, ms} of all cases, in order. After a case that breaks the runtime a new one starts. */
export async function runCases(folder, ids) {
  const results = [];
  while (results.length < ids.length) results.push(...(await runInWorker(folder, ids.slice(results.length))));
  return results;
}

/** Why a case fails, in the words that failures are grouped by; operators missing carry the opset they are asked at. */
export function reasonOf({ problem, code, ops }) {
  if (code === 'unsupported_operator') {
    const missing = [...problem.matchAll(/(\S+) \(node "/g)].map((m) => m[1]);
    return `operator missing: ${[...new Set(missing)].sort().join(', ')}`;
  }
  if (code === 'output') return `output differs: ${ops.join(', ')}`;
  return `${code}: ${problem.slice(0, 80)}`;
}
