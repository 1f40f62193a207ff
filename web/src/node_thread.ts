// A thread of a session in Node.js: makes worker_threads look like a browser's worker, then becomes what the glue makes.
import { nodeModule } from './platform.js';

const threads = nodeModule('node:worker_threads');
const port = threads?.parentPort;
if (threads && port) {
  const { glue } = threads.workerData as { glue: string };
  const scope = globalThis as unknown as Record<string, unknown>;
  const names = {
    self: globalThis,
    name: 'em-pthread',
    location: { href: glue },
    importScripts: () => {},
    postMessage: (message: unknown) => port.postMessage(message),
  };
  // Not by assignment: Deno has some of them as getters.
  for (const [name, value] of Object.entries(names)) {
    Object.defineProperty(scope, name, { value, writable: true, configurable: true });
  }
  await import(/* @vite-ignore */ /* webpackIgnore: true */ glue);
  // The handler changes while the thread starts.
  port.on('message', (data) => (scope.onmessage as (event: { data: unknown }) => void)({ data }));
}
