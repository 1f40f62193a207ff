// Reads models, lays out their graphs, and looks into weights, away from the page's thread.
import type { ModelDescription, TensorDescription } from '../../../web/src/tools/types.js';
import { Said, type Spoken, spoken } from '../i18n/said.js';
import { elementsOf } from '../model/dtypes.js';
import { readModel } from '../model/read_model.js';
import { histogram, type Numbers, type Statistics, statistics } from '../run/elements.js';
import { type Scene, sceneOf } from './scene.js';

export interface WeightView {
  readonly count: number;
  readonly stats: Statistics | undefined;
  readonly bins: readonly number[];
  readonly first: readonly (number | string)[];
}
export type GraphQuestion = { readonly id: number } & (
  | { readonly action: 'read'; readonly blob: Blob }
  | { readonly action: 'layout'; readonly opened: readonly string[] }
  | { readonly action: 'weights'; readonly tensor: TensorDescription; readonly bytes: Blob }
);
export type GraphAnswer =
  | { readonly id: number; readonly result: ModelDescription | Scene | WeightView }
  | ({ readonly id: number } & Spoken);

const kFirst = 400;
const kBins = 48;
let model: ModelDescription | undefined;

async function read(blob: Blob): Promise<ModelDescription> {
  const buffer = await blob.arrayBuffer().catch((error: Error) => {
    throw new Said('unreadable', { why: error.message });
  });
  const bytes = new Uint8Array(buffer);
  try {
    model = readModel(bytes);
  } catch (error) {
    // The session says what such a file is.
    throw new Said('notOnnx', { why: (error as Error).message });
  }
  return model;
}

async function weights(tensor: TensorDescription, blob: Blob): Promise<WeightView> {
  const numbers: Numbers | readonly (number | string)[] | undefined =
    blob.size > 0 ? elementsOf(tensor.dtype, new Uint8Array(await blob.arrayBuffer())) : tensor.values;
  if (!numbers) throw new Said('notShown', { type: tensor.dtype });
  const count = tensor.shape.reduce((a, b) => a * b, 1);
  const shown = (value: number | bigint | string) => (typeof value === 'bigint' ? String(value) : value);
  const first = Array.from({ length: Math.min(kFirst, count, numbers.length) }, (_, i) => shown(numbers[i]));
  if (numbers.length === 0 || typeof numbers[0] === 'string') return { count, stats: undefined, bins: [], first };
  const stats = statistics(numbers as Numbers);
  return { count, stats, bins: histogram(numbers as Numbers, stats, kBins), first };
}

async function answer(question: GraphQuestion): Promise<ModelDescription | Scene | WeightView> {
  if (question.action === 'read') return read(question.blob);
  if (question.action === 'weights') return weights(question.tensor, question.bytes);
  if (!model) throw new Error('no model is read');
  return sceneOf(model, new Set(question.opened));
}

self.addEventListener('message', async ({ data }: MessageEvent<GraphQuestion>) => {
  const reply = (message: GraphAnswer) => (self as unknown as Worker).postMessage(message);
  try {
    reply({ id: data.id, result: await answer(data) });
  } catch (error) {
    reply({ id: data.id, ...spoken(error) });
  }
});
