// A model that is looked at: its description, its picture, what is chosen in it.
import { computed, signal } from '@preact/signals';
import type { ModelDescription, TensorDescription } from '../../../web/src/tools/types.js';
import { AskedWorker } from '../asked_worker.js';
import { t } from '../i18n/index.js';
import type { ExternalFile } from '../state.js';
import { aroundKeys } from './keys.js';
import { ModelIndex } from './model_index.js';
import type { Scene } from './scene.js';
import type { GraphQuestion, WeightView } from './worker.js';

type GraphWorker = AskedWorker<GraphQuestion, ModelDescription | Scene | WeightView>;
// Without work, for the next model.
const kIdle: GraphWorker[] = [];

function idleWorker(): GraphWorker {
  return kIdle.pop() ?? new AskedWorker(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
}

export class OpenGraph {
  readonly blob: Blob;
  readonly externalData: readonly ExternalFile[];
  readonly description = signal<ModelDescription | undefined>(undefined);
  readonly index = computed(() => this.description.value && new ModelIndex(this.description.value));
  readonly scene = signal<Scene | undefined>(undefined);
  readonly opened = signal<ReadonlySet<string>>(new Set());
  readonly selected = signal<string | undefined>(undefined);
  /** Counts wishes to see the selected box. */
  readonly reveal = signal(0);
  readonly failed = signal<string | undefined>(undefined);
  readonly #worker = idleWorker();

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
    if (this.#worker.isIdle) kIdle.push(this.#worker);
    else this.#worker.terminate();
  }
}
