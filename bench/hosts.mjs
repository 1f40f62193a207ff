// Where contestants live: fresh processes of Node.js, fresh pages of Chromium, one each.
import { fork } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, serve, watch } from '../tests/browser/browser.mjs';

const kLimit = 600_000; // ms that one call may take
const folder = (name) => fileURLToPath(new URL(name, import.meta.url));
const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const kPage = {
  text: `<!doctype html><title>bench</title><script type="module">
globalThis.contestant = await import('/bench/contestant.mjs');
</script>`,
};

function limited(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${kLimit / 1000} s`)), kLimit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What a contestant is to the rest: call(name, ...args) of contestant.mjs, and an end. */
class NodeContestant {
  #child;
  #pending = new Map();
  #calls = 0;
  #complaints = '';

  constructor(execPath, execArgv) {
    const options = { execPath, execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] };
    this.#child = fork(folder('node_host.mjs'), [], options);
    this.#child.stderr.on('data', (data) => {
      this.#complaints += data;
    });
    this.#child.on('message', ({ id, result, error }) => {
      const { resolve, reject } = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    });
    const lost = (why) => {
      for (const { reject } of this.#pending.values()) reject(new Error(`${why}: ${this.#complaints}`));
    };
    this.#child.on('error', ({ message }) => lost(message));
    this.#child.on('close', (code, signal) => lost(`the process ended (${signal ?? code})`));
  }

  call(name, ...args) {
    const answer = new Promise((resolve, reject) => {
      const id = ++this.#calls;
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ id, call: name, args }, (error) => error && reject(error));
    });
    return limited(answer, name);
  }

  end() {
    if (this.#child.exitCode !== null || this.#child.signalCode) return undefined;
    const ended = new Promise((resolve) => this.#child.on('close', resolve));
    this.#child.kill('SIGKILL');
    return ended;
  }
}

/** @param {{path: string, flags: string[]}} node a Node.js program, and what it is started with */
export function nodeHost({ path, flags }) {
  return {
    inBrowser: false,
    location: (file) => pathToFileURL(file).href,
    model: (file) => file,
    start: async () => new NodeContestant(path, flags),
    close: async () => {},
  };
}

// What a page may ask for. Folders of models, and of another build of the package, come as they are needed.
function places() {
  return {
    '/': kPage,
    '/bench/': folder('.'),
    '/tests/': folder('../tests'),
    '/examples/': folder('../examples'),
    '/dist/': folder('../dist'),
    '/node_modules/onnxruntime-web/': folder('../node_modules/onnxruntime-web'),
  };
}

/** Chromium; each contestant is a page in a context of its own: a process of its own, and nothing in the cache. */
export async function chromiumHost() {
  const served = places();
  const server = await serve(served, isolated);
  const browser = await launch();
  const location = (file) => {
    const path = `/files${dirname(file)}/`;
    served[path] = dirname(file);
    return `${server.origin}${path}${basename(file)}`;
  };
  return {
    inBrowser: true,
    version: browser.version,
    asked: server.asked,
    location,
    model: location,
    async start() {
      const context = await browser.newContext();
      const page = await context.newPage();
      const problems = watch(page);
      await page.goto(`${server.origin}/`);
      await page.waitForFunction(() => globalThis.contestant);
      const call = ([name, args]) => globalThis.contestant[name](...args);
      return {
        call: (name, ...args) =>
          limited(page.evaluate(call, [name, args]), name).catch((error) => {
            throw new Error([error.message, ...problems].join('\n'));
          }),
        end: () => context.close(),
      };
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}
