// Inputs for a run that only has to be a run: what is given, and random values for the rest.
import { OnnxError } from '../errors.js';
import type { InferenceSession } from '../session.js';
import type { Tensor } from '../tensor.js';
import { OpenDimensions } from './open_dimensions.js';
import { misfit, randomTensor } from './random.js';
import type { FeedOptions } from './run_types.js';

export interface MadeFeeds {
  readonly feeds: Record<string, Tensor>;
  /** Names of the open dimensions that took the size 1; `input:axis` where they have none. */
  readonly assumed: readonly string[];
}

/** @throws OnnxError (invalid_argument) for an input that is no tensor and not given */
export function madeFeeds(
  session: Pick<InferenceSession, 'inputMetadata' | 'memory'>,
  options: FeedOptions,
): MadeFeeds {
  const { inputMetadata: inputs } = session;
  const { feeds: given = {}, dims = {}, seed = 0 } = options;
  const dimensions = new OpenDimensions(new Map(Object.entries(dims)));
  for (const port of inputs) {
    const sizes = port.isTensor ? (given[port.name]?.dims ?? []) : [];
    for (const [axis, size] of sizes.entries()) if (port.isTensor) dimensions.take(port, axis, size);
  }
  const feeds: Record<string, Tensor> = { ...given };
  const left = inputs
    .filter(({ name }) => !given[name])
    .map((port) => {
      if (port.isTensor) return { name: port.name, type: port.type, dims: dimensions.dimsOf(port) };
      throw new OnnxError(
        'invalid_argument',
        `input "${port.name}" takes a value of the type ${port.description}, which feeds must give`,
      );
    });
  const { weights, packed } = session.memory();
  const problem = misfit([...Object.values(given).filter((feed) => feed?.dims), ...left], weights + packed);
  if (problem) throw new OnnxError('invalid_argument', problem);
  for (const { name, type, dims } of left) feeds[name] = randomTensor(type, dims, name, seed);
  return { feeds, assumed: [...dimensions.assumed] };
}
