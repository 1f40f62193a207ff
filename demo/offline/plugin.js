// The build's part of working offline: sw.js, with the files that it keeps.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

// What few visits need comes when it is asked for, and is kept from then on.
const kLate = /^samples\/|ort-wasm|ort\.|peer_worker|sardonyx-codecs|\.map$/;

export const offline = {
  name: 'offline',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const names = ['index.html', ...Object.keys(bundle)].filter((name) => !kLate.test(name));
    const files = [...new Set(names)].sort();
    const hash = createHash('sha256');
    for (const { fileName, code, source } of Object.values(bundle)) hash.update(fileName).update(code ?? source ?? '');
    const version = hash.digest('hex').slice(0, 16);
    const text = readFileSync(new URL('./service_worker.js', import.meta.url), 'utf8');
    const source = text.replace('@version@', version).replace("'@files@'", () => JSON.stringify(files));
    this.emitFile({ type: 'asset', fileName: 'sw.js', source });
  },
};
