// The studio page's build: static files that work from any folder of any host.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

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

// Only built pages have it: Vite's development server needs inline styles.
const contentSecurityPolicy = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' },
  ],
};

export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { sardonyx: fileURLToPath(new URL('../dist/index.js', import.meta.url)) } },
  server: { fs: { allow: ['..'] } },
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0, emptyOutDir: true, modulePreload: { polyfill: false } },
  plugins: [contentSecurityPolicy],
});
