// A model that is looked at: its description, its picture, what is chosen in it.
import { computed, signal } from '@preact/signals';
import type { ModelDescription, TensorDescription } from '../../../web/src/tools/types.js';
import type { ExternalFile } from '../state.js';
import { aroundKeys } from './keys.js';
import { ModelIndex } from './model_index.js';
import type { Scene } from './scene.js';
import type { GraphAnswer, GraphQuestion, WeightView } from './worker.js';

type Ask<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never;

/** The page's side of a graph's worker. */
class GraphWorker {
  readonly #worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #next = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<GraphAnswer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.result);
    };
    this.#worker.onerror = (event) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(event.message || 'the worker ended'));
      this.#waiting.clear();
    };
  }

  ask(question: Ask<GraphQuestion>): Promise<unknown> {
    const id = this.#next++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ ...question, id });
    return waiting.promise;
  }

  /** Ends it, or where it has no work keeps it for the next model. */
  end(): void {
    if (this.#waiting.size > 0) this.#worker.terminate();
    else kIdle.push(this);
  }
}
const kIdle: GraphWorker[] = [];

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
  readonly #worker = kIdle.pop() ?? new GraphWorker();

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
    if (!file) throw new Error(`its bytes are in ${location}, which was not opened along with the model`);
    return file.data.slice(offset, length === null ? undefined : offset + length);
  }

  async weights(tensor: TensorDescription): Promise<WeightView> {
    return (await this.#worker.ask({ action: 'weights', tensor, bytes: this.bytesOf(tensor) })) as WeightView;
  }

  close(): void {
    this.#worker.end();
  }
}
