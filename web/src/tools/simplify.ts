// simplify(): rounds of inference, folding by the engine, and the passes of src/tools, until nothing changes.
import { dtypeNumber } from '../dtypes.js';
import { OnnxError } from '../errors.js';
import { InferenceSession } from '../session.js';
import { Tensor } from '../tensor.js';
import type { Inference } from './infer.js';
import type { Workbench } from './native.js';
import type { SimplifyOptions } from './types.js';

const kMostRounds = 20;

class Wire {
  private readonly parts: Uint8Array[] = [];

  varint(value: number): void {
    const bytes: number[] = [];
    for (let left = value; ; left = Math.floor(left / 128)) {
      bytes.push((left % 128) + (left >= 128 ? 128 : 0));
      if (left < 128) break;
    }
    this.parts.push(Uint8Array.from(bytes));
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.varint(field * 8 + 2);
    this.varint(bytes.length);
    this.parts.push(bytes);
  }

  number(field: number, value: number): void {
    this.varint(field * 8);
    this.varint(value);
  }

  done(): Uint8Array {
    const all = new Uint8Array(this.parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

/** A TensorProto in wire format: dims 1, data_type 2, string_data 6, name 8, raw_data 9. */
function tensorBytes(name: string, tensor: Tensor): Uint8Array {
  const wire = new Wire();
  const text = new TextEncoder();
  for (const dim of tensor.dims) wire.number(1, dim);
  wire.number(2, dtypeNumber(tensor.type));
  wire.bytes(8, text.encode(name));
  const data = tensor.data as unknown;
  if (ArrayBuffer.isView(data)) {
    wire.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  } else {
    for (const item of data as readonly string[]) wire.bytes(6, text.encode(item));
  }
  return wire.done();
}

/** Runs a model without inputs; the outputs that are tensors as the initializers of a GraphProto. */
async function computed(part: Uint8Array): Promise<Uint8Array> {
  const session = await InferenceSession.create(part, { worker: false, graphOptimizationLevel: 'disabled' });
  try {
    const wire = new Wire();
    for (const [name, value] of Object.entries(await session.run({})))
      if (value instanceof Tensor) wire.bytes(5, tensorBytes(name, value));
    return wire.done();
  } finally {
    await session.release();
  }
}

async function fold(bench: Workbench, report: Uint8Array, limit: number): Promise<boolean> {
  const part = bench.call(['constant_part', String(limit)], report);
  if (part.length === 0) return false;
  let tensors: Uint8Array;
  try {
    tensors = await computed(part);
  } catch (error) {
    // A constant that cannot be computed fails when the model runs; that is not simplify's to say.
    if (error instanceof OnnxError && error.code !== 'instance_lost') return false;
    throw error;
  }
  if (tensors.length === 0) return false;
  bench.call(['computed'], tensors);
  return true;
}

/** Leaves the simplified model in the workbench. */
export async function simplifyIn(bench: Workbench, inference: Inference, options: SimplifyOptions): Promise<void> {
  const { constantLimit = 1 << 20, skip = [], onProgress } = options;
  const flag = (name: (typeof skip)[number]) => (skip.includes(name) ? '0' : '1');
  for (let round = 1; round <= kMostRounds; round++) {
    await bench.step(kMostRounds + 1);
    const { report } = inference.report(bench);
    let changed = bench.text(['simplify', flag('fold'), flag('remove'), flag('merge')], report) === '1';
    if (flag('fold') === '1') changed = (await fold(bench, inference.report(bench).report, constantLimit)) || changed;
    onProgress?.({ round, nodes: bench.json<{ nodes: number }>(['count']).nodes });
    if (!changed) break;
  }
  bench.call(['tidy']);
  if (flag('infer') === '1') bench.call(['infer'], inference.report(bench).report);
}
