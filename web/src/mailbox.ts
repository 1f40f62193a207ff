// Tensors of a run as numbers in the heap: bindings/mailbox.h's side in JavaScript. Values of other kinds go by Embind.
import { dtypeName } from './dtypes.js';
import { invalidInput } from './errors.js';
import type { Engine, Failure, Instance, Loaded, NativeTensor, NativeValue, RunRequest, RunResult } from './native.js';

// 32-bit words of a slot: dtype, bytes, pointer, rank, dimensions.
const kSlotWords = 20;
const kMostDims = 16;
const kMostDim = 2 ** 32 - 1;
const kDone = 0;
const kFailed = 2;

type Plain = NativeTensor & { data: Uint8Array };

function isPlain(value: NativeValue): value is Plain {
  if (value === null || !('data' in value) || !(value.data instanceof Uint8Array)) return false;
  return value.dims.length <= kMostDims && value.dims.every((dim) => dim <= kMostDim);
}

const typeText = (dtype: number, dims: readonly number[]) => `${dtypeName(dtype)}(${dims.join('x') || 'scalar'})`;

export class Mailbox {
  private readonly base: number;
  private readonly size: number;
  // Views of a heap that may grow: asked for by words() and bytes() only, which look whether they are still good.
  private wordsView: Uint32Array;
  private bytesView: Uint8Array;

  constructor(
    private readonly instance: Instance,
    private readonly engine: Engine,
    readonly loaded: Loaded,
  ) {
    this.base = instance._sardonyx_mailbox(engine);
    const { inputs, outputs } = loaded;
    this.size = (inputs.length + outputs.length) * kSlotWords + 1 + outputs.length;
    this.wordsView = new Uint32Array(instance.heap.buffer, this.base, this.size);
    this.bytesView = new Uint8Array(instance.heap.buffer);
  }

  /** Growth detaches views, which have no length then; the heap of threads keeps them, but shorter than it has become. */
  private words(): Uint32Array {
    if (this.wordsView.length === 0) {
      this.wordsView = new Uint32Array(this.instance.heap.buffer, this.base, this.size);
    }
    return this.wordsView;
  }

  private bytes(end: number): Uint8Array {
    if (this.bytesView.length < end) this.bytesView = new Uint8Array(this.instance.heap.buffer);
    return this.bytesView;
  }

  /** Can the values of this run pass? */
  fits({ feeds, wanted, targets, hold, profile, shouldAbort }: RunRequest): boolean {
    if (profile || shouldAbort || hold.includes(true) || wanted.length > this.loaded.outputs.length) return false;
    for (const feed of feeds) if (feed !== null && !isPlain(feed)) return false;
    for (const target of targets) if (target !== null && !isPlain(target)) return false;
    return true;
  }

  /** Begins a run that fits. */
  begin({ feeds, wanted }: RunRequest): undefined | Failure {
    const words = this.words();
    feeds.forEach((feed, i) => {
      const at = i * kSlotWords;
      words[at] = feed === null ? 0 : (feed as Plain).dtype;
      if (feed === null) return;
      const { data, dims } = feed as Plain;
      words[at + 1] = data.length;
      words[at + 3] = dims.length;
      words.set(dims, at + 4);
    });
    const list = this.size - this.loaded.outputs.length - 1;
    words[list] = wanted.length;
    words.set(wanted, list + 1);
    if (this.instance._sardonyx_place(this.engine) === kFailed) return this.instance.failure(this.engine);
    this.fill(feeds);
    return this.instance._sardonyx_begin(this.engine) === kFailed ? this.instance.failure(this.engine) : undefined;
  }

  private fill(feeds: readonly NativeValue[]): void {
    const words = this.words();
    feeds.forEach((feed, i) => {
      if (feed === null) return;
      const { data } = feed as Plain;
      const pointer = words[i * kSlotWords + 2] as number;
      this.bytes(pointer + data.length).set(data, pointer);
    });
  }

  /** Of any run: true when all nodes have run. */
  advance(milliseconds: number): boolean | Failure {
    const status = this.instance._sardonyx_advance(this.engine, milliseconds);
    return status === kFailed ? this.instance.failure(this.engine) : status === kDone;
  }

  /** The results of a run that has begun here. */
  finish({ wanted, targets }: RunRequest): RunResult | Failure {
    const status = this.instance._sardonyx_collect(this.engine);
    if (status === kFailed) return this.instance.failure(this.engine);
    if (status !== kDone) return this.instance.finish(this.engine, targets);
    try {
      const plain = targets as (NativeTensor | null)[];
      return { outputs: wanted.map((position, i) => this.result(i, position, plain[i] ?? null)) };
    } finally {
      this.cancel();
    }
  }

  private result(i: number, position: number, target: NativeTensor | null): NativeTensor {
    const words = this.words();
    const at = (this.loaded.inputs.length + i) * kSlotWords;
    const word = (offset: number) => words[at + offset] as number;
    const dtype = word(0);
    const size = word(1);
    const pointer = word(2);
    const rank = word(3);
    const dims: number[] = [];
    for (let d = 0; d < rank; ++d) dims.push(word(4 + d));
    const heap = this.bytes(pointer + size);
    if (target === null) return { dtype, dims, data: heap.slice(pointer, pointer + size) };
    if (target.dtype !== dtype || target.dims.length !== rank || dims.some((dim, d) => dim !== target.dims[d])) {
      const given = `the tensor given for it is ${typeText(target.dtype, target.dims)}`;
      const { name } = this.loaded.outputs[position] as { name: string };
      throw invalidInput(`output "${name}": the result is ${typeText(dtype, dims)}, but ${given}`);
    }
    (target.data as Uint8Array).set(heap.subarray(pointer, pointer + size));
    return target;
  }

  /** Ends a run of any kind, and lets go of its results. */
  cancel(): void {
    this.instance._sardonyx_cancel(this.engine);
  }
}
