// The standard's operators, from reference/schemas.json: versions, element types, attributes.
import { readFileSync } from 'node:fs';

const { sets, operators } = JSON.parse(readFileSync(new URL('reference/schemas.json', import.meta.url), 'utf8'));

export const kOperators = Object.keys(operators);
/** The newest opset that models of the rows import, by domain. */
export const kNewest = { '': 26, 'ai.onnx.ml': 5, 'ai.onnx.preview.training': 1, 'com.microsoft': 1 };

/** ['ai.onnx.ml', 'Scaler'] of ai.onnx.ml.Scaler. */
export function splitName(op) {
  const dot = op.lastIndexOf('.');
  return dot < 0 ? ['', op] : [op.slice(0, dot), op.slice(dot + 1)];
}

export const versionsOf = (op) => operators[op];

/** The schema that holds at an opset; undefined before the operator was there. */
export const schemaAt = (op, at) => operators[op]?.findLast((v) => v.since <= at);

/** The types of an input at an opset; undefined where it is no tensor. */
export function typesAt(op, at, input = 0) {
  const { types } = schemaAt(op, at);
  return sets[types[Math.min(input, types.length - 1)]];
}

/** The types that any version allows for any of the inputs. */
export function typesEver(op) {
  return new Set(operators[op].flatMap(({ types }) => types.flatMap((index) => sets[index] ?? [])));
}

/** The newest opset of a domain at which the operator may be used. */
export function newestOf(op) {
  const last = operators[op].findLast((v) => !v.gone).since;
  const end = operators[op].find((v) => v.gone && v.since > last)?.since;
  return end ? end - 1 : Math.max(last, kNewest[splitName(op)[0]]);
}
