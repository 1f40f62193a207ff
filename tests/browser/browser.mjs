// What the browser tests share: Chromium, and a static server that knows what was asked of it.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

/** What Chromium is started with. */
export const kFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const kTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** Debian's. */
export function chromiumPath() {
  const folders = process.env.PATH.split(delimiter);
  const path = folders.map((folder) => join(folder, 'chromium')).find((file) => existsSync(file));
  if (!path) throw new Error('chromium is missing (Debian: apt-get install chromium)');
  accessSync(path, constants.X_OK);
  return path;
}

const kTimeout = 180_000; // ms: enough for a machine that is busy with a build

/**
 * `newPage` gives pages that share one cache; `newContext` a context of its own, with a cache and processes of its own.
 * @returns {Promise<{version: string, newPage: () => Promise<object>, newContext: (options?: object) => Promise<object>,
 *   close: () => Promise<void>}>}
 */
export async function launch({ flags = [] } = {}) {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [...kFlags, ...flags],
    timeout: kTimeout,
  });
  const newContext = async (options = {}) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(kTimeout);
    return context;
  };
  const shared = await newContext();
  return { version: browser.version(), newPage: () => shared.newPage(), newContext, close: () => browser.close() };
}

/**
 * Serves folders and texts: `places` maps a path ending in '/' to a folder, any other path to {text, type?, headers?};
 * `all` are headers of every answer.
 * @returns {Promise<{origin: string, asked: string[], close: () => void}>}
 */
export async function serve(places, all = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    asked.push(path);
    const fixed = places[path];
    if (fixed && typeof fixed === 'object') {
      return response
        .writeHead(200, { 'content-type': fixed.type ?? kTypes['.html'], ...all, ...fixed.headers })
        .end(fixed.text);
    }
    const place = Object.keys(places).find((key) => typeof places[key] === 'string' && path.startsWith(key));
    const file = place && join(places[place], normalize(`/${path.slice(place.length) || 'index.html'}`));
    if (!file || !existsSync(file)) return response.writeHead(404, { 'content-type': 'text/html' }).end('<p>none</p>');
    response.writeHead(200, { 'content-type': kTypes[extname(file)] ?? 'application/octet-stream', ...all });
    response.end(readFileSync(file));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, close };
}

/** What a page says on its console and what it throws. */
export function watch(page) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    // What playwright itself says where a test wants none.
    if (message.text().includes('Service Worker registration blocked by Playwright')) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  return problems;
}
