// The packed package in Firefox (WebDriver BiDi) and in WebKitGTK's MiniBrowser (WebDriver), under a strict policy and a
// sub-path; in Chromium also where pages are not: in a module worker, a service worker and an extension.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { chromiumPath, kFlags, launch, serve } from '../browser/browser.mjs';
import { studio } from '../browser/studio_page.mjs';
import { kTypes, makeModel } from '../js/make_model.mjs';
import { modelBytes, node, port } from '../models/tiny_model.mjs';
import { installApp, kAnswer, kExactBytes } from './environments.mjs';

const kPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

const kMiddle = 200; // rows and columns of a matrix times itself
function middleModel() {
  return makeModel({
    node: [node('MatMul', ['x', 'x'], ['y'])],
    input: [port('x', [kMiddle, kMiddle])],
    output: [port('y', [kMiddle, kMiddle])],
  });
}

// A program for pages and workers; `answer` is what becomes of it.
const kProgram = `
import { env, InferenceSession, OnnxError, Tensor } from './sardonyx/index.js';
const isolated = location.pathname.endsWith('isolated.html');
${kExactBytes}
// A model between small and large: the page itself waits for its threads.
async function runInPage() {
  const session = await InferenceSession.create(new URL('./middle.onnx', import.meta.url));
  const x = new Tensor('float32', new Float32Array(${kMiddle * kMiddle}).fill(1), [${kMiddle}, ${kMiddle}]);
  let least = Infinity;
  for (let i = 0; i < 20; i++) least = Math.min(least, ...(await session.run({ x })).y.data);
  await session.release();
  return session.info.threads + ' in the page: ' + least;
}
async function run() {
  if (isolated) env.wasm.numThreads = 2;
  const options = isolated ? { worker: true } : {};
  const session = await InferenceSession.create(new URL('./good.onnx', import.meta.url), options);
  const { y } = await session.run({ x: new Tensor('float32', new Float32Array(6).fill(1), [2, 3]) });
  const error = await session.run({}).catch((error) => error);
  await session.release();
  const { threads, worker } = session.info;
  const kind = isolated ? [threads + ' threads', worker && threads > 1 ? 'in a worker' : session.info.why] : [];
  if (isolated && threads > 1) kind.push(await runInPage());
  const bytes = await exactBytes(InferenceSession, Tensor, new URL('./bytes.onnx', import.meta.url));
  return [[...y.data].join(), error instanceof OnnxError && error.code, bytes, ...kind].join(' ');
}
export const answer = run().catch((error) => String(error.stack ?? error));
`;
const kWanted = `${kAnswer} invalid_input exact`;
const kWantedOfThreads = `${kWanted} 2 threads in a worker 2 in the page: ${kMiddle}`;
// What pages with one thread, and with threads, come to.
const kTitles = { '/sub/': kWanted, '/sub/isolated.html': kWantedOfThreads };
const kPage = (script) =>
  `<!doctype html><html><head><title>wait</title><script type="module" src="${script}"></script></head></html>`;

// What sessions load late, which takes import() elsewhere; in a service worker.
const kLateProgram = `
const said = [];
console.warn = (text) => said.push(text);
const model = (name) => new URL('./' + name, import.meta.url);
const floats = (...list) => new Tensor('float32', list, [list.length]);
const index = (i) => new Tensor('int64', [i], [1]);
async function run() {
  env.wasm.selfTest = true;
  const options = { preferredOutputLocation: 'cpu-pinned', enableProfilling: true };
  const session = await InferenceSession.create(model('pick.onnx'), options);
  const first = (await session.run({ x: floats(5, 6, 7), i: index(1) })).y;
  const again = (await session.run({ x: first, i: index(0) })).y;
  const error = await session.run({ x: first, i: index(9) }).catch((error) => error);
  await session.release();
  const decoder = await InferenceSession.create(model('decode.onnx'));
  const file = new Uint8Array(await (await fetch(model('image.png'))).arrayBuffer());
  const { pixels } = await decoder.run({ file: new Tensor('uint8', file, [file.length]) });
  await decoder.release();
  const image = await Tensor.fromImage(new ImageData(Uint8ClampedArray.of(255, 0, 51, 255), 1, 1));
  return JSON.stringify([
    [again.location, session.info.variant],
    error.message.replace(/^[\\s\\S]*;/, ''),
    said,
    pixels.dims,
    Array.from(image.data, (x) => x.toFixed(1)),
  ]);
}
export const answer = run().catch((error) => String(error.stack ?? error));
`;
const kWantedLate = (variant) => [
  ['cpu-pinned', variant],
  ' the run was given "x" float32[1], "i" int64[1]',
  ['sardonyx: there is no session option "enableProfilling", it is ignored: is "enableProfiling" meant?'],
  [images[kPng].height, images[kPng].width, 3],
  ['1.0', '0.0', '0.2'],
];
const images = JSON.parse(readFileSync(new URL('../js/images/images.json', import.meta.url), 'utf8'));
const kPng = Object.keys(images).find((name) => images[name].file.startsWith('iVBOR'));
const pickModel = () =>
  makeModel({
    node: [{ op_type: 'Gather', input: ['x', 'i'], output: ['y'] }],
    input: [port('x', ['n']), port('i', [1], kTypes.int64)],
    output: [port('y', [1])],
  });
const decoderModel = () =>
  makeModel({
    node: [{ op_type: 'ImageDecoder', input: ['file'], output: ['pixels'] }],
    input: [port('file', ['n'], kTypes.uint8)],
    output: [port('pixels', ['h', 'w', 3], kTypes.uint8)],
  });
const kService = (program) => `
import { answer } from './${program}';
onmessage = ({ source }) => answer.then((text) => source.postMessage(text));
`;
const kStartService = (script) => `
await navigator.serviceWorker.register('${script}', { type: 'module' });
navigator.serviceWorker.onmessage = ({ data }) => { document.title = data; };
(await navigator.serviceWorker.ready).active.postMessage('run');
`;
const kImport = (entry) => `import { env, InferenceSession, OnnxError, Tensor } from './sardonyx/${entry}';\n`;

let app;
let server;

before(async () => {
  app = installApp(['puppeteer-core@25.16.0']);
  const text = (code) => ({ text: code, type: 'text/javascript', headers: { 'content-security-policy': kPolicy } });
  const page = (script) => ({ text: kPage(script), headers: { 'content-security-policy': kPolicy } });
  const places = {
    '/favicon.ico': { text: '' },
    '/sub/': page('page.js'),
    // With the header of all answers below: cross-origin isolated.
    '/sub/isolated.html': {
      text: kPage('page.js'),
      headers: { 'content-security-policy': kPolicy, 'cross-origin-opener-policy': 'same-origin' },
    },
    '/sub/worker.html': page('start_worker.js'),
    '/sub/service.html': page('start_service.js'),
    '/sub/plain_service.html': page('start_plain_service.js'),
    '/sub/static_late.html': page('start_static_late.js'),
    '/sub/embedded_late.html': page('start_embedded_late.js'),
    '/sub/program.js': text(kProgram),
    '/sub/page.js': text(`import { answer } from './program.js'; document.title = await answer;`),
    '/sub/start_worker.js': text(
      `new Worker('worker.js', { type: 'module' }).onmessage = ({ data }) => { document.title = data; };`,
    ),
    '/sub/worker.js': text(`import { answer } from './program.js'; postMessage(await answer);`),
    // Service workers refuse import(), which 'sardonyx' needs by itself.
    '/sub/start_service.js': text(kStartService('service.js')),
    '/sub/service.js': text(kService('embedded_program.js')),
    '/sub/embedded_program.js': text(kProgram.replace('index.js', 'embedded.js')),
    '/sub/start_plain_service.js': text(kStartService('plain_service.js')),
    '/sub/plain_service.js': text(kService('program.js')),
    '/sub/start_static_late.js': text(kStartService('static_late.js')),
    '/sub/static_late.js': text(kService('static_late_program.js')),
    '/sub/static_late_program.js': text(`import './sardonyx/static.js';${kImport('index.js')}${kLateProgram}`),
    '/sub/start_embedded_late.js': text(kStartService('embedded_late.js')),
    '/sub/embedded_late.js': text(kService('embedded_late_program.js')),
    '/sub/embedded_late_program.js': text(`${kImport('embedded.js')}${kLateProgram}`),
    '/sub/pick.onnx': { text: pickModel(), type: 'application/octet-stream' },
    '/sub/decode.onnx': { text: decoderModel(), type: 'application/octet-stream' },
    '/sub/image.png': { text: Buffer.from(images[kPng].file, 'base64'), type: 'image/png' },
    '/sub/middle.onnx': { text: Buffer.from(middleModel()), type: 'application/octet-stream' },
    '/sub/good.onnx': { text: readFileSync(join(app.folder, 'good.onnx')), type: 'application/octet-stream' },
    '/sub/bytes.onnx': { text: readFileSync(join(app.folder, 'bytes.onnx')), type: 'application/octet-stream' },
    '/sub/sardonyx/': join(app.folder, 'node_modules', 'sardonyx', 'dist'),
  };
  server = await serve(places, { 'cross-origin-embedder-policy': 'require-corp' });
});
after(() => {
  server?.close();
  app?.remove();
});

async function titleOf(url) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.waitForFunction(() => document.title !== 'wait');
    return await page.title();
  } finally {
    await browser.close();
  }
}

test('Chromium, a module worker', async () => {
  assert.equal(await titleOf(`${server.origin}/sub/worker.html`), kWanted);
});

test('Chromium, a service worker', async () => {
  assert.equal(await titleOf(`${server.origin}/sub/service.html`), kWanted);
});

test('Chromium, a service worker without what brings the rest: it says so', async () => {
  assert.match(await titleOf(`${server.origin}/sub/plain_service.html`), /a service worker imports 'sardonyx\/static'/);
});

for (const [entry, variant] of [
  ['static', 'relaxed'],
  ['embedded', 'simd'],
]) {
  test(`Chromium, a service worker with sardonyx/${entry}: what is loaded late elsewhere`, async () => {
    const title = await titleOf(`${server.origin}/sub/${entry}_late.html`);
    assert.deepEqual(title.startsWith('[') ? JSON.parse(title) : title, kWantedLate(variant));
  });
}

test('Chromium, a page of an extension (manifest v3)', async () => {
  const folder = join(app.folder, 'extension');
  mkdirSync(folder);
  cpSync(join(app.folder, 'node_modules', 'sardonyx', 'dist'), join(folder, 'sardonyx'), { recursive: true });
  for (const name of ['good.onnx', 'bytes.onnx']) cpSync(join(app.folder, name), join(folder, name));
  const manifest = {
    manifest_version: 3,
    name: 'test',
    version: '1',
    content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'" },
    background: { service_worker: 'background.js', type: 'module' },
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'background.js'), '');
  writeFileSync(join(folder, 'page.html'), kPage('page.js'));
  writeFileSync(join(folder, 'page.js'), `import { answer } from './program.js'; document.title = await answer;`);
  writeFileSync(join(folder, 'program.js'), kProgram);
  const context = await chromium.launchPersistentContext('', {
    executablePath: chromiumPath(),
    args: [...kFlags, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    ignoreDefaultArgs: ['--disable-extensions'],
  });
  try {
    const [worker = await context.waitForEvent('serviceworker')] = context.serviceWorkers();
    const page = await context.newPage();
    await page.goto(new URL('/page.html', worker.url()).href);
    await page.waitForFunction(() => document.title !== 'wait');
    assert.equal(await page.title(), kWanted);
  } finally {
    await context.close();
  }
});

test('Firefox', async () => {
  const puppeteer = createRequire(join(app.folder, 'x.js'))('puppeteer-core').default;
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr' });
  try {
    for (const [path, wanted] of Object.entries(kTitles)) {
      const page = await browser.newPage();
      await page.goto(`${server.origin}${path}`);
      await page.waitForFunction(() => document.title !== 'wait', { timeout: 120_000 });
      assert.equal(await page.title(), wanted);
      await page.close();
    }
  } finally {
    await browser.close();
  }
});

// y = -x, for sound of any length.
function soundModel() {
  const sound = (name) => port(name, [1, 'samples']);
  return modelBytes({ node: [node('Neg', ['x'], ['y'])], input: [sound('x')], output: [sound('y')] });
}

test('Firefox, the studio page: a graph, a run, text read in a picture, the camera, the microphone', async (t) => {
  const puppeteer = createRequire(join(app.folder, 'x.js'))('puppeteer-core').default;
  const site = await studio();
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    // Pictures that change their colour, and a tone.
    extraPrefsFirefox: { 'media.navigator.streams.fake': true, 'media.navigator.permission.disabled': true },
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(site.url);
    await (await page.waitForSelector('#files')).uploadFile(join(app.folder, 'good.onnx'));
    await page.waitForFunction(() => document.querySelector('.graph-canvas canvas')?.dataset.scale);
    await page.waitForSelector('#run-form');
    await page.click('#tab-run');
    await page.select('#inputs select', 'ones');
    await page.click('#run');
    await page.waitForFunction(() => document.getElementById('status')?.textContent === 'done');
    assert.equal(await page.$$eval('#outputs td', (cells) => cells.map((cell) => cell.textContent).join()), kAnswer);
    await page.click('#close');
    await page.click('#sample-ocr');
    await page.waitForFunction(() => /\d found in/.test(document.getElementById('sample-status')?.textContent));
    assert.match(await page.$eval('#findings', (list) => list.textContent), /HELLO WASM 257/);
    await page.click('#close');
    await page.click('#sample-lines');
    await (await page.waitForSelector('#live')).click();
    await page.waitForFunction(() => /pictures a second/.test(document.getElementById('sample-status')?.textContent));
    assert.equal(await page.$eval('#error', (error) => error.hidden), true);
    await page.click('#close');
    const sound = join(app.folder, 'sound.onnx');
    writeFileSync(sound, soundModel());
    await (await page.waitForSelector('#files')).uploadFile(sound);
    await page.waitForSelector('#run-form');
    await page.click('#tab-run');
    await page.select('#inputs select', 'microphone');
    await page.click('#inputs .fields button');
    await page.waitForFunction(() => /\d\d,\d{3} samples/.test(document.getElementById('inputs').textContent));
    await page.click('#run');
    await page.waitForFunction(() => document.getElementById('status')?.textContent === 'done');
    const range = await page.$eval('#outputs .range', (element) => element.textContent);
    assert.ok(Number(/max ([\d.e-]+)/.exec(range)?.[1]) > 0.01, range);
    // As it goes on, sound needs a device; without one the page says so.
    await page.click('#close');
    await page.click('#sample-voice');
    await (await page.waitForSelector('#listen')).click();
    await page.waitForFunction(
      () => document.querySelector('.voice:not([hidden])') ?? !document.getElementById('error').hidden,
    );
    const why = await page.$eval('#error', (error) => (error.hidden ? '' : error.textContent));
    t.diagnostic(`live microphone: ${why || 'heard'}`);
    assert.match(why, /^$|sound does not start/);
  } finally {
    await browser.close();
    await site.close();
  }
});

// The path of Debian's MiniBrowser has the machine's architecture in it.
function miniBrowser() {
  const paths = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'webkit2gtk-4.1', 'MiniBrowser'));
  const path = paths.find((name) => existsSync(name));
  if (!path) throw new Error('WebKitGTK is missing (Debian: apt-get install libwebkit2gtk-4.1-0)');
  return path;
}

/** The answer to a command of WebDriver (https://www.w3.org/TR/webdriver2/). */
async function command(method, url, body) {
  const response = await fetch(url, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`);
  return value;
}

async function untilReady(url) {
  for (let i = 0; ; i++) {
    const ready = await fetch(`${url}/status`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    if (i === 300) throw new Error('WebKitWebDriver does not answer');
    await sleep(100);
  }
}

test('WebKitGTK', async () => {
  const port = 20_000 + (process.pid % 20_000);
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], { detached: true, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(url);
    const options = { binary: miniBrowser(), args: ['--automation'] };
    const capabilities = { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } };
    const { sessionId } = await command('POST', `${url}/session`, { capabilities });
    const session = `${url}/session/${sessionId}`;
    for (const [path, wanted] of Object.entries(kTitles)) {
      await command('POST', `${session}/url`, { url: `${server.origin}${path}` });
      let title = 'wait';
      for (let i = 0; title === 'wait' && i < 600; i++) {
        await sleep(100);
        title = await command('GET', `${session}/title`);
      }
      // Debian's WebKitGTK has no shared memory on isolated pages either, and the session says so.
      const without = /^(.*) 1 threads .*one thread: there is no SharedArrayBuffer here$/.exec(title)?.[1];
      assert.equal(without ? kWantedOfThreads.replace(kWanted, without) : title, wanted);
    }
    await command('DELETE', session);
  } finally {
    process.kill(-driver.pid);
  }
});
