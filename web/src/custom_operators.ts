// Operators that programs write in JavaScript.
import { dtypeName, dtypeNumber, isDType } from './dtypes.js';
import { invalidArgument, messageOf, shown } from './errors.js';
import { callback, type NativeOperator, type NativeTensor } from './native.js';
import { setOperator } from './operator_registry.js';
import { sizeOf } from './tensor.js';
import type { Tensor } from './tensor_types.js';
import { fromNative, kUnknown, type OnnxValue, toNative } from './values.js';

/** A tensor before its data is there. */
export interface TensorSketch {
  readonly type: Tensor.Type;
  readonly dims: readonly number[];
}

/** Attributes of a node by name: numbers, strings, tensors, or lists of these. */
export type OperatorAttributes = Readonly<Record<string, unknown>>;

export interface CustomOperator {
  /**
   * Checks the inputs (left-out ones are null, at the end maybe missing) and says type and shape of each output; undefined, for one or for all,
   * where that depends on data. Left out: nothing is known before run(). Throws for inputs that do not fit.
   */
  infer?(
    inputs: readonly (TensorSketch | null)[],
    attributes: OperatorAttributes,
  ): readonly (TensorSketch | undefined)[] | undefined;
  /** Computes, at once: no promise. One value per output; those that are not `wanted` may be left out. */
  run(
    inputs: readonly OnnxValue[],
    attributes: OperatorAttributes,
    wanted: readonly boolean[],
  ): readonly (OnnxValue | undefined)[];
}

/**
 * Makes an operator known to all sessions that are created later; it goes before one of the same name that the package
 * has. undefined in its place takes it back.
 * @throws OnnxError (invalid_argument)
 */
export function registerOperator(domain: string, name: string, operator: CustomOperator | undefined): void {
  if (typeof domain !== 'string') throw invalidArgument(`'domain' must be a string, not ${shown(domain)}`);
  if (typeof name !== 'string' || name === '') throw invalidArgument(`'name' must be a name, not ${shown(name)}`);
  if (operator === undefined) {
    setOperator(domain, name, undefined);
    return;
  }
  const given = typeof operator === 'object' && operator !== null ? operator : undefined;
  if (typeof given?.run !== 'function') throw invalidArgument("an operator is {infer?, run}, and 'run' a function");
  if (given.infer !== undefined && typeof given.infer !== 'function') {
    throw invalidArgument(`'infer' must be a function, not ${shown(given.infer)}`);
  }
  setOperator(domain, name, nativeOf(given));
}

/** The answer of a callback for the engine: what it throws is reported with the node, and kept as the cause. */
function guarded<T>(body: () => T): T | { error: string } {
  try {
    return body();
  } catch (error) {
    callback.thrown = error;
    return { error: messageOf(error) };
  }
}

function listOf(answer: unknown, name: string): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  const promise = typeof (answer as { then?: unknown } | null)?.then === 'function';
  throw new Error(
    `${name}() must return a list with one item per output, not ${promise ? 'a promise' : shown(answer)}`,
  );
}

function stated(sketch: unknown): { dtype: number; dims: number[] } | undefined {
  if (sketch === undefined) return undefined;
  const { type, dims } = (sketch ?? {}) as Partial<TensorSketch>;
  if (!isDType(type)) throw new Error(`infer() must state {type, dims}; there is no tensor type ${shown(type)}`);
  sizeOf(dims);
  return { dtype: dtypeNumber(type), dims: [...(dims as number[])] };
}

function plainAttributes(attributes: Record<string, unknown>): OperatorAttributes {
  const isTensor = (value: unknown): value is NativeTensor =>
    typeof value === 'object' && value !== null && 'dtype' in value;
  const plain = (value: unknown): unknown =>
    isTensor(value) ? fromNative(value) : Array.isArray(value) ? value.map(plain) : value;
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, plain(value)]));
}

function nativeOf(operator: CustomOperator): NativeOperator {
  const native: NativeOperator = {
    run: (inputs, attributes, wanted) =>
      guarded(() => {
        const results = operator.run(inputs.map(fromNative), plainAttributes(attributes), wanted);
        const list = listOf(results, 'run');
        const missing = wanted.findIndex((isWanted, i) => isWanted && list[i] === undefined);
        if (missing >= 0) throw new Error(`run() gave nothing for output ${missing}`);
        return list.map((value, i) => toNative(value, kUnknown, `output ${i}`));
      }),
  };
  if (operator.infer) {
    native.infer = (inputs, attributes) =>
      guarded(() => {
        const seen = inputs.map((x) => x && { type: dtypeName(x.dtype) as Tensor.Type, dims: x.dims });
        const answer = operator.infer?.(seen, plainAttributes(attributes));
        return answer === undefined ? undefined : listOf(answer, 'infer').map(stated);
      });
  }
  return native;
}
