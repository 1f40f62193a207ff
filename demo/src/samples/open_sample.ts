// A sample that is open: its files, its worker, its last result.
import { batch, signal } from '@preact/signals';
import { kOvertaken, open } from '../actions.js';
import { type Ask, AskedWorker } from '../asked_worker.js';
import { t } from '../i18n/index.js';
import * as state from '../state.js';
import type { Sample, SampleQuestion, SampleResult } from './messages.js';

export class OpenSample {
  readonly sample: Sample;
  readonly result = signal<SampleResult | undefined>(undefined);
  readonly going = signal(false);
  readonly #worker = new AskedWorker<SampleQuestion, SampleResult | null>(
    new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  );
  readonly #ready: Promise<unknown>;

  constructor(sample: Sample, files: readonly Blob[]) {
    this.sample = sample;
    this.#ready = this.#worker.ask({ action: 'load', sample: sample.name, files });
    this.#ready.catch(() => {});
  }

  /** The answer of its worker. @throws Error */
  async ask(question: Ask<SampleQuestion>): Promise<SampleResult | undefined> {
    await this.#ready;
    return (await this.#worker.ask(question)) ?? undefined;
  }

  /** Errors are shown, not thrown. */
  async look(question: Ask<SampleQuestion>): Promise<void> {
    this.going.value = true;
    state.problem.value = undefined;
    try {
      this.result.value = await this.ask(question);
    } catch (error) {
      state.problem.value = state.problemOf(error);
    } finally {
      this.going.value = false;
    }
  }

  close(): void {
    this.#worker.terminate();
  }
}

async function fetchFile(name: string, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Blob> {
  const response = await fetch(new URL(`samples/${name}`, document.baseURI), { signal });
  if (!response.ok || !response.body) throw new Error(`samples/${name}: HTTP status ${response.status}`);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value as Uint8Array<ArrayBuffer>);
    onBytes(value.length);
  }
}

function openFetched(sample: Sample, files: readonly Blob[]): Promise<void> {
  return batch(() => {
    const opening = open({ name: sample.files[0], blob: files[0], externalData: [] });
    state.openSample.value = new OpenSample(sample, files);
    state.view.value = 'sample';
    state.reopen.value = () => openFetched(sample, files);
    return opening;
  });
}

/** Fetches a sample's files and opens its model. Errors and a cancel are shown, not thrown. */
export async function openSample(sample: Sample): Promise<void> {
  state.fetching.value?.abort(kOvertaken);
  const aborting = new AbortController();
  const { signal } = aborting;
  state.fetching.value = aborting;
  state.busy.value = 'fetch';
  state.progress.value = undefined;
  state.problem.value = undefined;
  let loaded = 0;
  const onBytes = (bytes: number) => {
    loaded += bytes;
    state.progress.value = { phase: 'reading', loaded, total: undefined };
  };
  let files: readonly Blob[];
  try {
    files = await Promise.all(sample.files.map((name) => fetchFile(name, signal, onBytes)));
  } catch (error) {
    if (signal.reason === kOvertaken) return;
    const why = { name: t(sample.title), why: (error as Error).message };
    state.problem.value = signal.aborted ? { message: t('cancelled'), calm: true } : { message: t('notFetched', why) };
    state.busy.value = '';
    return;
  } finally {
    if (state.fetching.value === aborting) state.fetching.value = undefined;
  }
  if (signal.aborted) return;
  state.busy.value = '';
  await openFetched(sample, files);
}
