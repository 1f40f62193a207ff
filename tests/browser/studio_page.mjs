// What the tests of the studio page share: the page, built and served under a sub-path, and what is done with it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { launch, serve, watch } from './browser.mjs';
import { fromNpy, npyOf } from './npy.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kPath = '/some/where/';

/**
 * Builds and serves the page, and starts Chromium; further flags and `headers` of every answer where a test wants them.
 * @returns {Promise<object>} folder (of the built files), url, server, browser; open() gives a new page at the url, with
 *   `problems`, where a script ran `before` its own; close() ends all
 */
export async function studio({ flags, headers } = {}) {
  const temp = mkdtempSync(join(tmpdir(), 'sardonyx-studio-'));
  const folder = join(temp, 'site');
  await build({ root: join(root, 'demo'), logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const server = await serve({ [kPath]: folder }, headers);
  const browser = await launch({ flags });
  const url = `${server.origin}${kPath}`;
  const open = async (options = {}, before = () => {}) => {
    const context = await browser.newContext({ serviceWorkers: 'block', ...options });
    const page = await context.newPage();
    await page.addInitScript(before);
    const problems = watch(page);
    await page.goto(url);
    await page.waitForSelector('#drop');
    return Object.assign(page, { problems });
  };
  const close = async () => {
    await browser.close();
    server.close();
    rmSync(temp, { recursive: true });
  };
  return { folder, url, server, browser, open, close };
}

/**
 * studio() for the tests of one file, which may use it once they run; `prepare` is called before, when it can be used
 * (hooks of the file's own do not wait for this one).
 * @returns {Awaited<ReturnType<typeof studio>>}
 */
export function studioOfTests(prepare, options) {
  const site = {};
  before(async () => {
    Object.assign(site, await studio(options));
    await prepare?.();
  });
  after(() => site.close?.());
  return site;
}

export const file = (name, bytes, mimeType = 'application/octet-stream') => ({
  name,
  mimeType,
  buffer: Buffer.from(bytes),
});

/** Chooses files on the page without a model, closing the open one. */
export async function choose(page, ...files) {
  if (await page.isVisible('#close')) await page.click('#close');
  await page.setInputFiles('#files', files);
}

export const tab = (page, name) => page.click(`#tab-${name}`);

/** Waits for the session, and shows the view of its runs. */
export async function readyToRun(page) {
  await page.waitForSelector('#run-form', { state: 'attached' });
  await tab(page, 'run');
}

/** A tensor as tests/models/feeds.mjs makes them for a page. */
export class Plain {
  constructor(type, data, dims) {
    Object.assign(this, { type, data, dims });
  }
}

/** The inputs as .npy files, in the page's form. */
export async function fill(page, feeds) {
  for (const [name, tensor] of Object.entries(feeds)) {
    const form = page.locator('#inputs fieldset').filter({ has: page.locator('.name', { hasText: name }) });
    const exact = (await form.count()) > 1 ? form.filter({ has: page.getByText(name, { exact: true }) }) : form;
    await exact.locator('select').first().selectOption('npy');
    await exact.locator('input[type=file]').setInputFiles(file('input.npy', npyOf(tensor)));
  }
}

export async function run(page) {
  await page.click('#run');
  await page.waitForFunction(() => document.getElementById('status')?.textContent === 'done');
}

/** The outputs by name, as the page saves them. */
export async function outputsOf(page) {
  const outputs = {};
  for (const article of await page.locator('#outputs article').all()) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      article.getByRole('button', { name: 'Download .npy' }).click(),
    ]);
    outputs[await article.locator('.name').textContent()] = fromNpy(readFileSync(await download.path()));
  }
  return outputs;
}
