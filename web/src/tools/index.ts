// The public names of sardonyx/tools.
import type { ModelSource } from '../source.js';
import { withModel } from './native.js';
import type { ModelDescription, ModelOptions, OnnxFile, WriteOptions } from './types.js';

export { OnnxError, type OnnxErrorCode } from '../errors.js';
export type { ExternalDataFile } from '../external_data.js';
export type * from './types.js';

/**
 * Everything that a viewer shows of a model: nodes, values, weights with their places in the file, functions, metadata.
 * Weights in files of their own are not read. @throws OnnxError
 */
export function graph(model: ModelSource, options?: ModelOptions): Promise<ModelDescription> {
  return withModel(model, options, (bench) => bench.json<ModelDescription>(['describe']));
}

/**
 * The .onnx file, written anew: with the weights inside, or with those of at least `least` bytes in a file of their own.
 * What the standard's newer releases add to the messages is kept. @throws OnnxError
 */
export function toOnnx(model: ModelSource, options: WriteOptions = {}): Promise<OnnxFile> {
  const { location, least = 1024 } = options;
  return withModel(model, options, (bench) => {
    bench.bringExternalData();
    const moved = location === undefined ? undefined : bench.call(['move_out', location, String(least)]);
    return { model: bench.call(['bytes']), ...(moved ? { externalData: moved } : {}) };
  });
}
