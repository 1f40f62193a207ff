// Runs cases of the suite in a worker thread, one after the other, and posts the result of each.
// workerData: {folder, ids}. Posts {id, problem, code, ops, ms, broken}; problem is '' where the case passes.
import { parentPort, workerData } from 'node:worker_threads';
import * as api from '../models/package.mjs';
import { runCase } from './case.mjs';
import { readUndecided } from './expectations.mjs';
import { readCase } from './suite.mjs';

const undecided = readUndecided();

for (const id of workerData.ids) {
  const begin = performance.now();
  const found = readCase(workerData.folder, id);
  if (undecided.has(id)) found.tolerance = { typesOnly: true };
  const result = await runCase(found, api);
  parentPort.postMessage({ id, ...result, ms: performance.now() - begin });
  if (result.broken) break;
}
