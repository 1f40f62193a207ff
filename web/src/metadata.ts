// What a session says of its inputs and outputs, by the names of onnxruntime-common.
import type { Tensor } from './tensor_types.js';

export interface ValueMetadataBase {
  readonly name: string;
}
export interface NonTensorValueMetadata extends ValueMetadataBase {
  readonly isTensor: false;
  /** "sequence of float32 tensor"... */
  readonly description: string;
}
export interface TensorValueMetadata extends ValueMetadataBase {
  readonly isTensor: true;
  readonly type: Tensor.Type;
  /** A number, the name of a symbolic dimension, or '' where the model says nothing. */
  readonly shape: readonly (number | string)[];
}
export type ValueMetadata = NonTensorValueMetadata | TensorValueMetadata;
