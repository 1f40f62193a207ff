// The program of a Node.js process that holds one contestant: {id, call, args} comes, {id, result} or {id, error} goes.
import { finish, measure, measurePeak, start, warmUp } from './contestant.mjs';

const calls = { start, warmUp, measure, measurePeak, finish };

process.on('message', async ({ id, call, args }) => {
  try {
    process.send({ id, result: await calls[call](...args) });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
