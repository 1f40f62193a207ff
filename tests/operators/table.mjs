// The table: every row of every operator, in order, made anew the same each time.
import { createHash } from 'node:crypto';
import { modelOf } from './model.mjs';
import { schemaAt } from './schemas.mjs';
import { numbersOf, product, restart, tensor } from './values.mjs';

const kFiles = ['elementwise', 'movement', 'reduce', 'layers', 'values', 'ml', 'microsoft'];

/**
 * Rows {id, op, at, name, inputs, attributes, outputs, ...}:
 *   expect     the expected values, computed in the table
 *   by         what differs in the model that the reference runs: {at, op, inputs, attributes, outputs}
 *   move       the inputs whose elements are moved: the reference moves their positions
 *   check      (results, inputs) => what is wrong with the results, '' where nothing is
 *   error      what the message of the error must match
 *   random     the values differ from run to run
 *   single     the reference is to compute float64 in float32, for want of a better one
 *   unlike     why the reference is not asked although it has the operator
 */
export async function readTable(files = kFiles) {
  const rows = [];
  const ids = new Set();
  for (const file of files) {
    const module = await import(`./rows/${file}.mjs`);
    restart(1_000_003 * (kFiles.indexOf(file) + 1));
    module.rows((op, at, name, row) => {
      const id = `${op}-${at} ${name}`;
      if (ids.has(id)) throw new Error(`two rows have the name ${id}`);
      ids.add(id);
      rows.push({ id, op, at, name, file, ...row });
    });
  }
  return rows;
}

export const tableFiles = kFiles;

// The moved inputs as positions in all of them joined, from 1; 0 is what an operator fills in by itself.
function positionsOf(inputs, move) {
  let at = 1;
  return inputs.map((v, i) => {
    if (!move.includes(i) || !v) return v;
    const start = at;
    at += product(v.dims);
    return tensor(
      'int64',
      v.dims,
      Array.from({ length: product(v.dims) }, (_, n) => start + n),
    );
  });
}

/** The expected values of a row of movement, from those of its positions. */
export function movedBy(row, { dims, data }) {
  const sources = row.move.map((i) => row.inputs[i]);
  const { type } = sources[0];
  const width = type.startsWith('complex') ? 2 : 1;
  const zero = type === 'string' ? '' : 0;
  const all = [...Array(width).fill(zero), ...sources.flatMap((v) => (width === 2 ? [...v.data] : numbersOf(v)))];
  return tensor(
    type,
    dims,
    Array.from(data, Number).flatMap((p) => all.slice(p * width, p * width + width)),
  );
}

/** Does a row take its values from reference/? */
export const isReferenced = (row) => !row.expect && !row.check && !row.error;

/** The row that the reference runs: without the attributes that its version does not know. */
export function referenceRow(row) {
  if (!row.by && !row.move) return row;
  const model = { ...row, ...row.by };
  if (row.move) model.inputs = positionsOf(model.inputs, row.move);
  const known = schemaAt(model.op, model.at).attributes;
  const attributes = Object.entries(model.attributes ?? {}).filter(([name]) => name in known);
  return { ...model, attributes: Object.fromEntries(attributes) };
}

/** A digest of what a reference was made from: it is stale where it differs. */
export function digestOf(row) {
  const hash = createHash('sha256');
  const model = referenceRow(row);
  hash.update(modelOf(model));
  for (const value of model.inputs) hash.update(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)));
  return hash.digest('base64').slice(0, 8);
}
