// A model that is looked at: its description, its picture, what is chosen in it.
import { computed, signal } from '@preact/signals';
import type { ModelDescription, TensorDescription } from '../../../web/src/tools/types.js';
import { AskedWorker } from '../asked_worker.js';
import { t } from '../i18n/index.js';
import type { ExternalFile } from '../state.js';
import type { ToolQuestion } from '../tools/worker.js';
import { aroundKeys } from './keys.js';
import { ModelIndex } from './model_index.js';
import type { Scene } from './scene.js';
import type { ScopeTypes } from './scope_types.js';
import type { GraphQuestion, WeightView } from './worker.js';

type GraphWorker = AskedWorker<GraphQuestion, ModelDescription | Scene | WeightView>;
type TypesWorker = AskedWorker<ToolQuestion, ScopeTypes>;
// Larger models are not held once more for the types of their values.
const kMostBytes = 2 ** 28;
const kMostNodes = 20_000;
// Without work, for the next model.
const kIdle: { graph: GraphWorker[]; types: TypesWorker[] } = { graph: [], types: [] };

const graphWorker = (): GraphWorker =>
  kIdle.graph.pop() ?? new AskedWorker(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
const typesWorker = (): TypesWorker =>
  kIdle.types.pop() ?? new AskedWorker(new Worker(new URL('../tools/worker.ts', import.meta.url), { type: 'module' }));

export class OpenGraph {
  readonly blob: Blob;
  readonly externalData: readonly ExternalFile[];
  readonly description = signal<ModelDescription | undefined>(undefined);
  /** Types that the file does not state, once they are known. */
  readonly types = signal<ScopeTypes | undefined>(undefined);
  readonly index = computed(() => this.description.value && new ModelIndex(this.description.value, this.types.value));
  readonly scene = signal<Scene | undefined>(undefined);
  readonly opened = signal<ReadonlySet<string>>(new Set());
  readonly selected = signal<string | undefined>(undefined);
  /** Counts wishes to see the selected box. */
  readonly reveal = signal(0);
  readonly failed = signal<string | undefined>(undefined);
  readonly #worker = graphWorker();
  #inferring: TypesWorker | undefined;

  constructor(blob: Blob, externalData: readonly ExternalFile[]) {
    this.blob = blob;
    this.externalData = externalData;
  }

  /** Reads the model and lays out its graph. @throws Error where it is none */
  async read(): Promise<void> {
    try {
      this.description.value = (await this.#worker.ask({ action: 'read', blob: this.blob })) as ModelDescription;
      await this.#layout();
    } catch (error) {
      this.failed.value = (error as Error).message;
      throw error;
    }
  }

  /** Infers the types of all values, in a worker of its own. What is wrong with the model is for others to say. */
  async infer(): Promise<void> {
    const nodes = this.index.value?.entries.length ?? 0;
    if (nodes === 0 || nodes > kMostNodes || this.blob.size > kMostBytes) return;
    const worker = typesWorker();
    this.#inferring = worker;
    try {
      this.types.value = await worker.ask({ action: 'types', model: this.blob, externalData: [] });
      kIdle.types.push(worker);
    } catch {
      worker.terminate();
    }
    this.#inferring = undefined;
  }

  async #layout(): Promise<void> {
    this.scene.value = (await this.#worker.ask({ action: 'layout', opened: [...this.opened.value] })) as Scene;
  }

  /** Opens a box, or closes it. */
  async toggle(key: string): Promise<void> {
    const opened = new Set(this.opened.value);
    if (!opened.delete(key)) opened.add(key);
    this.opened.value = opened;
    await this.#layout();
  }

  /** Chooses a box and brings it into view, opening those around it. */
  async show(key: string): Promise<void> {
    const closed = aroundKeys(key).filter((outer) => !this.opened.value.has(outer));
    this.selected.value = key;
    if (closed.length > 0) {
      this.opened.value = new Set([...this.opened.value, ...closed]);
      await this.#layout();
    }
    this.reveal.value++;
  }

  /** The bytes of a tensor, wherever they lie; empty where they are written as numbers. @throws Error */
  bytesOf({ range, external }: TensorDescription): Blob {
    if (range) return this.blob.slice(range.offset, range.offset + range.length);
    if (!external) return new Blob();
    const { location, offset, length } = external;
    const base = location.split('/').at(-1);
    const file = this.externalData.find(({ path }) => path === location || path === base);
    if (!file) throw new Error(t('missingData', { file: location }));
    return file.data.slice(offset, length === null ? undefined : offset + length);
  }

  async weights(tensor: TensorDescription): Promise<WeightView> {
    return (await this.#worker.ask({ action: 'weights', tensor, bytes: this.bytesOf(tensor) })) as WeightView;
  }

  close(): void {
    this.#inferring?.terminate();
    if (this.#worker.isIdle) kIdle.graph.push(this.#worker);
    else this.#worker.terminate();
  }
}
