// What the tools take and give that run models: feeds, comparisons, what a run needs.
import type { ExternalDataFile } from '../external_data.js';
import type { MemoryUse } from '../native.js';
import type { InferenceSession } from '../session.js';
import type { Tensor } from '../tensor.js';
import type { ModelOptions } from './types.js';

/** What a run is fed: `feeds`, and for other inputs random values, the same for the same seed. */
export interface FeedOptions {
  readonly feeds?: Readonly<Record<string, Tensor>>;
  /** Sizes of open dimensions, by their names or as `input:axis`. @default 1 */
  readonly dims?: Readonly<Record<string, number>>;
  /** @default 0 */
  readonly seed?: number;
  /** Of the sessions that are made: worker, threads, log level... */
  readonly session?: InferenceSession.SessionOptions;
}

export interface StatsOptions extends ModelOptions, FeedOptions {}

export interface ModelStats {
  /** Elements of all weights. */
  readonly parameters: number;
  readonly nodes: number;
  /** Nodes by operator, subgraphs included. */
  readonly operators: Readonly<Record<string, number>>;
  readonly inputs: readonly { readonly name: string; readonly type: Tensor.Type; readonly dims: readonly number[] }[];
  /** The open dimensions that took the size 1. */
  readonly assumed: readonly string[];
  /** Multiply-adds of the run (InferenceSession.macs()); null where they are not known. */
  readonly macs: number | null;
  /** Bytes by purpose. */
  readonly memory: MemoryUse;
}

/** a and b agree where |a - b| <= atol + rtol |b|; NaN equals NaN, and what is no float is compared exactly. */
export interface Tolerance {
  /** @default 0.001 */
  readonly rtol?: number;
  /** @default 0.00001 */
  readonly atol?: number;
}

export interface Difference {
  /** In words; absent where the values agree. */
  readonly problem?: string;
  /** Largest |a - b|, and largest |a - b| / |b| where b is not 0; of numbers that are finite in both. */
  readonly maxAbs: number;
  readonly maxRel: number;
  /** The first element outside the tolerance: its place, and both values. */
  readonly first?: { readonly index: readonly number[]; readonly actual: unknown; readonly expected: unknown };
}

export interface OutputDifference extends Difference {
  /** Of the output in a. */
  readonly name: string;
  /** In b, where it has another name there. */
  readonly other?: string;
  readonly same: boolean;
}

/** A node's place in its graph, and how to call it. */
export interface NodePlace {
  readonly index: number;
  readonly name: string;
  readonly opType: string;
}

export interface ValueDifference extends Difference {
  /** The value (tensor name), which both models have. */
  readonly value: string;
  /** What makes it in a, and in b. */
  readonly nodes: readonly [NodePlace, NodePlace];
  /** Values that were compared: those before it agree. */
  readonly compared: number;
}

export interface CompareOptions extends ModelOptions, FeedOptions, Tolerance {
  /** Of b; `externalData` is a's. @default that of a */
  readonly otherExternalData?: readonly ExternalDataFile[];
  /** Look for the first node that differs where an output does? @default true */
  readonly nodes?: boolean;
  /** While that is looked for: how many of the values that both have were compared. */
  readonly onProgress?: (progress: { readonly compared: number; readonly total: number }) => void;
}

export interface Comparison {
  /** Do all outputs agree? */
  readonly same: boolean;
  readonly outputs: readonly OutputDifference[];
  readonly assumed: readonly string[];
  /** Where outputs differ: the first value that does, in a's order; null where none was found or looked for. */
  readonly firstDifference: ValueDifference | null;
}

/** What the nodes of an operator took in a profiled run. */
export interface OperatorTime {
  readonly opType: string;
  readonly nodes: number;
  /** How often they ran: more than once in loops. */
  readonly runs: number;
  /** With what is inside. */
  readonly ms: number;
  /** The same of the nodes of their subgraphs. */
  readonly inside: readonly OperatorTime[];
}
