// Writes reference/*.json, by hand when the table changes: PEERS=node_modules PYTHON=python node make_references.mjs [FILE...]
// PEERS is a folder with onnxruntime-node, PYTHON has the package onnx, whose reference evaluator computes what
// onnxruntime lacks. float16 and bfloat16 rows are computed in float32 on the same values; float64 where both lack it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decodeValue } from '../conformance/decode.mjs';
import { ModelProto, SequenceProto, TensorProto } from '../conformance/schema.mjs';
import { modelOf, outputNames, tensorProto } from './model.mjs';
import { toText } from './reference.mjs';
import { digestOf, isReferenced, readTable, referenceRow, tableFiles } from './table.mjs';
import { cast } from './values.mjs';

const ort = createRequire(pathToFileURL(join(process.env.PEERS, 'x.js')))('onnxruntime-node');
const chosen = process.argv.slice(2);

const kHalf = /^b?float16$/;
const hasHalf = (row) => row.inputs.some((v) => kHalf.test(v?.type ?? ''));
const narrowed = (v) => (v?.type === 'float64' ? cast(v, 'float32') : v);
const widened = (v) => (kHalf.test(v?.type ?? '') ? cast(v, 'float32') : v);

// A row with float32 in the place of the 16-bit floats.
function widenedRow(row) {
  return { ...row, inputs: row.inputs.map(widened) };
}

const kOrtTypes = /^(float32|float64|u?int(8|16|32|64)|bool|string)$/;

async function byOrt(row) {
  if (row.inputs.some((v) => v !== null && !kOrtTypes.test(v.type ?? ''))) throw new Error('a type that it lacks');
  // One thread: with more, DynamicQuantizeLSTM takes the range of each row of the batch instead of all.
  const session = await ort.InferenceSession.create(modelOf(row), { logSeverityLevel: 4, intraOpNumThreads: 1 });
  const feeds = {};
  for (const [i, v] of row.inputs.entries()) if (v) feeds[`i${i}`] = new ort.Tensor(v.type, v.data, v.dims);
  const results = await session.run(feeds);
  return outputNames(row).map((name) => {
    if (!name) return null;
    const { type, dims, data } = results[name];
    return { type, dims: [...dims], data: type === 'string' ? [...data] : data };
  });
}

const base64 = (bytes) => Buffer.from(bytes).toString('base64');

// A value as [kind, message]: 0 nothing, 1 a tensor, 2 a sequence of tensors.
function encoded(v) {
  if (v === null || v.optional) return [0, ''];
  const proto = (t) => TensorProto.fromObject(tensorProto(t));
  if (!Array.isArray(v) && !v.sequence) return [1, base64(TensorProto.encode(proto(v)).finish())];
  const list = { elem_type: 1, tensor_values: v.sequence ? [] : v.map(proto) };
  return [2, base64(SequenceProto.encode(SequenceProto.fromObject(list)).finish())];
}

function decoded([kind, text]) {
  if (kind === 0) return null;
  const bytes = Buffer.from(text, 'base64');
  return decodeValue(bytes, kind === 2 ? ModelProto.create({ sequence_type: {} }) : {});
}

// The rows by onnx's reference evaluator: outputs or an Error for each.
function byOnnx(rows) {
  const folder = mkdtempSync(join(tmpdir(), 'sardonyx-reference-'));
  try {
    const jobs = rows.map((row) => ({ model: base64(modelOf(row)), inputs: row.inputs.map(encoded) }));
    writeFileSync(join(folder, 'jobs.json'), JSON.stringify(jobs));
    const script = fileURLToPath(new URL('reference.py', import.meta.url));
    execFileSync(process.env.PYTHON ?? 'python3', [script, folder], { stdio: 'inherit' });
    const results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
    return results.map(({ outputs, error }) => (error ? new Error(error) : outputs.map(decoded)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function modelToRun(row) {
  const model = referenceRow(row);
  if (row.single) return { ...model, inputs: model.inputs.map((v) => narrowed(widened(v))) };
  return hasHalf(model) && !row.exact ? widenedRow(model) : model;
}

async function resultsOf(rows) {
  const models = rows.map(modelToRun);
  const results = [];
  for (const [i, model] of models.entries()) {
    if (rows[i].unlike) results[i] = ['', new Error(rows[i].unlike)];
    else
      results[i] = await byOrt(model).then(
        (outputs) => ['o', outputs],
        (error) => ['', error],
      );
  }
  const lacking = () => rows.map((_, i) => i).filter((i) => results[i][1] instanceof Error);
  const rest = lacking();
  for (const [n, outcome] of byOnnx(rest.map((i) => models[i])).entries()) {
    if (!(outcome instanceof Error)) results[rest[n]] = ['x', outcome];
    else results[rest[n]].push(outcome);
  }
  for (const i of lacking()) {
    if (!rows[i].inputs.some((v) => v?.type === 'float64')) continue;
    const narrow = { ...models[i], inputs: models[i].inputs.map(narrowed) };
    await byOrt(narrow).then(
      (outputs) => (results[i] = ['o', outputs]),
      () => {},
    );
  }
  for (const i of lacking()) {
    const [onnxruntime, onnx] = results[i].slice(1).map((error) => error.message);
    console.log(`${rows[i].id}\n  onnxruntime: ${onnxruntime.slice(0, 200)}\n  onnx: ${onnx.slice(-200)}`);
  }
  return results;
}

const all = await readTable();
for (const file of chosen.length ? chosen : tableFiles) {
  const rows = all.filter((row) => row.file === file && isReferenced(row));
  const results = await resultsOf(rows);
  const values = new Map();
  const place = (text) => {
    const key = JSON.stringify(text);
    if (text === null) return -1;
    if (!values.has(key)) values.set(key, [values.size, text]);
    return values.get(key)[0];
  };
  const lines = rows.flatMap((row, i) => {
    const [source, outputs] = results[i];
    if (outputs instanceof Error) return [];
    return `${JSON.stringify(row.id)}:${JSON.stringify([source, digestOf(row), ...outputs.map((v) => place(toText(v)))])}`;
  });
  const texts = [...values.values()].map(([, text]) => JSON.stringify(text)).join(',\n');
  const path = new URL(`reference/${file}.json`, import.meta.url);
  writeFileSync(path, `{"values":[\n${texts}\n],"rows":{\n${lines.join(',\n')}\n}}\n`);
  const count = (letter) =>
    results.filter(([source, outputs]) => source === letter && !(outputs instanceof Error)).length;
  console.log(
    `${file}: ${rows.length} rows, ${count('o')} by onnxruntime, ${count('x')} by onnx, ${rows.length - lines.length} without`,
  );
}
