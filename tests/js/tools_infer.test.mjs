// inferShapes beside onnx.shape_inference (strict, with data propagation), on PyTorch's exports: data/inferred.json, which
// tests/tools/infer_shapes.py makes. Ours may say more, never less or otherwise.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kTypes } from './make_model.mjs';

const { graph, inferShapes } = await import('../../dist/tools.js');
const reference = JSON.parse(readFileSync(new URL('data/inferred.json', import.meta.url), 'utf8'));

/** As text() of infer_shapes.py. */
function text(type) {
  if (type === null) return '';
  if (type.kind === 'sequence') return `s${text(type.element)}`;
  if (type.kind === 'optional') return `o${text(type.element)}`;
  const code = kTypes[type.dtype] ?? type.dtype;
  return type.shape === null ? String(code) : `${code}:${type.shape.map((dim) => dim ?? '?').join('|')}`;
}

/** As verdict() of infer_shapes.py: same, more, less or other. */
function verdict(ours, theirs) {
  if (ours === theirs) return 'same';
  if (ours === '') return 'less';
  const [[a, x], [b, y]] = [ours, theirs].map((whole) => whole.split(':'));
  if (a !== b) return 'other';
  if (y === undefined) return 'more';
  if (x === undefined) return 'less';
  const [mine, other] = [x, y].map((dims) => (dims === '' ? [] : dims.split('|')));
  if (mine.length !== other.length) return 'other';
  let result = 'same';
  for (const [i, dim] of other.entries()) {
    const made = dim.startsWith('unk__');
    if (mine[i] === dim || (made && mine[i] === '?')) continue;
    if (/^\d+$/.test(mine[i]) && /^\d+$/.test(dim)) return 'other';
    if (!(dim === '?' || made || /^\d+$/.test(mine[i]))) result = 'less';
    else if (result === 'same') result = 'more';
  }
  return result;
}

for (const [name, theirs] of Object.entries(reference)) {
  const path = new URL(`../models/reference/exports/${name}`, import.meta.url);
  test(name, { skip: !existsSync(path) && 'not here' }, async () => {
    const { graph: main } = await graph(await inferShapes(path));
    const ours = new Map([...main.values, ...main.outputs].map((value) => [value.name, text(value.type)]));
    const results = Object.entries(theirs).map(([value, type]) => [value, verdict(ours.get(value) ?? '', type)]);
    const of = (kind) => results.filter(([, result]) => result === kind).map(([value]) => value);
    assert.deepEqual(of('other'), []);
    assert.deepEqual(of('less'), []);
  });
}
