// Inputs for a run that only has to be a run: what is given, and random values for the rest.
import { OnnxError } from '../errors.js';
import type { InferenceSession } from '../session.js';
import type { Tensor } from '../tensor.js';
import { randomTensor } from './random.js';
import type { FeedOptions } from './run_types.js';

export interface MadeFeeds {
  readonly feeds: Record<string, Tensor>;
  /** Names of the open dimensions that took the size 1; `input:axis` where they have none. */
  readonly assumed: readonly string[];
}

/** @throws OnnxError (invalid_argument) for an input that is no tensor and not given */
export function madeFeeds(inputs: readonly InferenceSession.ValueMetadata[], options: FeedOptions): MadeFeeds {
  const { feeds: given = {}, dims = {}, seed = 0 } = options;
  const known = new Map(Object.entries(dims));
  for (const port of inputs) {
    if (!port.isTensor) continue;
    for (const [axis, dim] of port.shape.entries()) {
      const size = given[port.name]?.dims[axis];
      if (typeof dim === 'string' && dim !== '' && size !== undefined) known.set(dim, size);
    }
  }
  const assumed = new Set<string>();
  const feeds: Record<string, Tensor> = { ...given };
  for (const port of inputs) {
    if (given[port.name]) continue;
    if (!port.isTensor) {
      throw new OnnxError('invalid_argument', `input "${port.name}" is a ${port.description}, which feeds must give`);
    }
    const sizes = port.shape.map((dim, axis) => {
      if (typeof dim === 'number') return dim;
      const place = `${port.name}:${axis}`;
      const size = known.get(dim) ?? known.get(place);
      if (size === undefined) assumed.add(dim || place);
      return size ?? 1;
    });
    feeds[port.name] = randomTensor(port.type, sizes, port.name, seed);
  }
  return { feeds, assumed: [...assumed] };
}
