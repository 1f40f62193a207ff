// What the tools take and give: descriptions of models, findings, options.
import type { ExternalDataFile } from '../external_data.js';
import type { ModelSource } from '../source.js';

export interface ModelOptions {
  /** Files with weights that the model refers to; in Node.js, files beside a model's file are found without. */
  readonly externalData?: readonly ExternalDataFile[];
  /** Ends the work between two steps. */
  readonly signal?: AbortSignal;
  /** Called after every step of the work; `total` is how many there are at most. */
  readonly onStep?: (step: { readonly done: number; readonly total: number }) => void;
}

/** 'float32', 'int64', 'string', 'bfloat16'...: the names of Tensor.Type; 'undefined' where the file says nothing. */
export type DTypeName = string;
/** A size, a symbol's name, or null where the file says nothing. */
export type DimDescription = number | string | null;

export type TypeDescription =
  | {
      readonly kind: 'tensor' | 'sparse_tensor';
      readonly dtype: DTypeName;
      readonly shape: readonly DimDescription[] | null;
    }
  | { readonly kind: 'sequence' | 'optional'; readonly element: TypeDescription | null }
  | { readonly kind: 'map'; readonly key: DTypeName; readonly element: TypeDescription | null };

export interface ValueDescription {
  readonly name: string;
  readonly type: TypeDescription | null;
  readonly docString?: string;
}

export interface TensorDescription {
  /** Empty for the tensors of attributes that have none. */
  readonly name: string;
  readonly dtype: DTypeName;
  readonly shape: readonly number[];
  /** Bytes of its elements, packed; 0 for strings. */
  readonly bytes: number;
  /** Where its raw bytes lie in the .onnx file; absent where they are elsewhere or written as numbers. */
  readonly range?: { readonly offset: number; readonly length: number };
  /** Where its bytes lie in a file of its own. */
  readonly external?: { readonly location: string; readonly offset: number; readonly length: number | null };
  /** The elements, flat, where there are at most 64 and they are in the file. 64-bit integers beyond 2^53, NaN and infinities are strings. */
  readonly values?: readonly (number | string)[];
  readonly docString?: string;
  /** Sparse: `values` and `range` are then missing. */
  readonly sparse?: true;
}

export type AttributeType =
  | 'undefined'
  | 'float'
  | 'int'
  | 'string'
  | 'tensor'
  | 'graph'
  | 'floats'
  | 'ints'
  | 'strings'
  | 'tensors'
  | 'graphs'
  | 'sparse_tensor'
  | 'sparse_tensors'
  | 'type_proto'
  | 'type_protos';

export type AttributeValue =
  | number
  | string
  | TensorDescription
  | GraphDescription
  | TypeDescription
  | null
  | readonly (number | string | TensorDescription | GraphDescription | TypeDescription | null)[];

export interface AttributeDescription {
  readonly name: string;
  readonly type: AttributeType;
  /** Integers beyond 2^53, NaN and infinities are strings. */
  readonly value: AttributeValue;
  /** In a function: the function's attribute whose value it takes. */
  readonly reference?: string;
}

export interface NodeDescription {
  /** Its place in its graph's list of nodes. */
  readonly index: number;
  readonly name: string;
  /** '' is ai.onnx. */
  readonly domain: string;
  readonly opType: string;
  readonly overload?: string;
  /** '' where one is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly AttributeDescription[];
  readonly docString?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The model's graph, or one in an attribute (If, Loop, Scan...). */
export interface GraphDescription {
  readonly name: string;
  readonly docString?: string;
  readonly inputs: readonly ValueDescription[];
  readonly outputs: readonly ValueDescription[];
  /** What the file says of values between (value_info): see inferShapes(). */
  readonly values: readonly ValueDescription[];
  readonly initializers: readonly TensorDescription[];
  readonly nodes: readonly NodeDescription[];
}

export interface FunctionDescription {
  readonly domain: string;
  readonly name: string;
  readonly overload?: string;
  readonly docString?: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly string[];
  readonly opsets: Readonly<Record<string, number>>;
  readonly nodes: readonly NodeDescription[];
}

export interface ModelDescription {
  readonly irVersion: number;
  readonly producerName: string;
  readonly producerVersion: string;
  readonly domain: string;
  readonly modelVersion: number;
  readonly docString: string;
  /** Domain ('' is ai.onnx) to version. */
  readonly opsets: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly graph: GraphDescription;
  readonly functions: readonly FunctionDescription[];
}

export interface Finding {
  /** error: onnx.checker's full check would refuse the model for it. */
  readonly severity: 'error' | 'warning';
  /** A short word for programs: 'unknown_operator', 'missing_attribute', 'type_mismatch'... */
  readonly code: string;
  readonly message: string;
  /** Where in the file: 'graph.node[3].attribute[pads]', 'graph.node[7].attribute[then_branch].g.node[0]'. */
  readonly path: string;
  /** The node, where it is about one: its place in its graph, and how to call it. */
  readonly node?: { readonly index: number; readonly name: string; readonly opType: string };
  readonly attribute?: string;
  /** The value (tensor name) that it is about. */
  readonly value?: string;
}

export interface CheckReport {
  /** No errors. */
  readonly valid: boolean;
  /** At most 2000. */
  readonly findings: readonly Finding[];
  /** How many more there are. */
  readonly leftOut: number;
}

export interface InferOptions extends ModelOptions {
  /** Fixes open dimensions by their names. */
  readonly dims?: Readonly<Record<string, number>>;
}

export interface SimplifyOptions extends InferOptions {
  /** Fixes the shapes of inputs, by their names. */
  readonly inputShapes?: Readonly<Record<string, readonly number[]>>;
  /** Computed constants of more bytes are not put in the file. @default 1 MB */
  readonly constantLimit?: number;
  /** What to leave out. */
  readonly skip?: readonly ('fold' | 'infer' | 'remove' | 'merge')[];
  /** Called after every round. */
  readonly onProgress?: (progress: { readonly round: number; readonly nodes: number }) => void;
}

export interface SimplifyResult {
  /** The .onnx file. */
  readonly model: Uint8Array;
  /** Nodes by operator, subgraphs and functions included. */
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface PrintOptions extends ModelOptions {
  /** Floats in six digits, as onnx.printer has them, or in as many as they need. @default true */
  readonly exact?: boolean;
}

export interface ExtractOptions extends ModelOptions {
  /** Names of values that become the inputs. */
  readonly inputs: readonly string[];
  /** Names of values that become the outputs. */
  readonly outputs: readonly string[];
}

export interface WriteOptions extends ModelOptions {
  /** Weights go into a file of this name beside the model. @default they stay in the model */
  readonly location?: string;
  /** Weights of fewer bytes stay in the model. @default 1024 */
  readonly least?: number;
}

export interface OnnxFile {
  readonly model: Uint8Array;
  /** The bytes of `location`. */
  readonly externalData?: Uint8Array;
}

/** What every function takes: anything that InferenceSession.create takes. */
export type { ModelSource };
