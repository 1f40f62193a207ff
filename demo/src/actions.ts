// What the page does: opens models, runs them, cancels.
import { batch } from '@preact/signals';
import { Engine } from './engine/client.js';
import type { EngineOptions, RunResult } from './engine/messages.js';
import { OpenGraph } from './graph/open_graph.js';
import { t } from './i18n/index.js';
import type { EngineError } from './i18n/said.js';
import { takeTokenizer } from './run/tokenizer.js';
import * as state from './state.js';
import { cancelTool } from './tools/client.js';

const engine = new Engine();
/** Why a download ended that nobody waits for any more. */
export const kOvertaken = 'overtaken';
let opening = 0;

function report(error: unknown): void {
  const aborted = (error as EngineError).code === 'aborted';
  state.problem.value = aborted ? { message: t('cancelled'), calm: true } : state.problemOf(error);
}

/** Ends what goes on. A worker without work stays, with the module that it has. */
function quieten(): void {
  if (state.busy.value !== '') engine.stop();
}

/** Forgets the model that is open, and the sample that is on its way. */
function forget(): void {
  quieten();
  cancelTool({ silent: true });
  state.fetching.value?.abort(kOvertaken);
  state.openGraph.value?.close();
  state.openGraph.value = undefined;
  state.openSample.value?.close();
  state.openSample.value = undefined;
  state.loaded.value = undefined;
  state.lastRun.value = undefined;
  state.lastFeeds.value = undefined;
  state.showHeat.value = false;
  state.problem.value = undefined;
}

/** Opens a model: its graph is read, and its session made, each in a worker. Errors are shown, not thrown. */
export async function open(model: state.Model): Promise<void> {
  const mine = ++opening;
  forget();
  const graph = new OpenGraph(model.blob, model.externalData);
  state.openGraph.value = graph;
  batch(() => {
    state.model.value = model;
    state.view.value = 'graph';
    state.reopen.value = () => open(model);
  });
  const tokens = takeTokenizer(model.tokenizer).catch(report);
  const session = start(mine, tokens);
  try {
    await graph.read();
  } catch (error) {
    // No graph, no views. The session's error, if it has one, says more.
    await session;
    if (mine !== opening) return;
    const problem = state.problem.value ?? { message: `${model.name}: ${(error as Error).message}` };
    close();
    state.problem.value = problem;
  }
  await session;
  if (state.openGraph.value === graph) graph.infer();
}

async function start(mine: number, before: Promise<void> = Promise.resolve()): Promise<void> {
  const { name, blob, externalData } = state.model.value as state.Model;
  state.problem.value = undefined;
  state.busy.value = 'load';
  state.progress.value = { phase: 'reading', loaded: 0, total: blob.size };
  try {
    const model = name === '' ? blob : new File([blob], name);
    const request = { model, externalData, options: state.engineOptions.value };
    const result = await engine.load(request, (progress) => {
      state.progress.value = progress;
    });
    // What inputs are filled with depends on it.
    await before;
    if (mine === opening) state.loaded.value = result;
  } catch (error) {
    if (mine === opening) report(error);
  } finally {
    if (mine === opening) state.busy.value = '';
  }
}

/** The model again, with other settings. */
export async function restart(options: EngineOptions): Promise<void> {
  state.engineOptions.value = options;
  if (!state.model.value) return;
  quieten();
  state.loaded.value = undefined;
  state.lastRun.value = undefined;
  state.showHeat.value = false;
  await start(++opening);
}

export function close(): void {
  ++opening;
  forget();
  state.model.value = undefined;
  state.busy.value = '';
}

const kModels = /\.(onnx|ort)$/i;

/** The model among the files, and its tokenizer; the others are its external data. A tokenizer alone is the open model's. */
export async function openFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const named = (names: RegExp) => files.find((file) => names.test(file.name));
  const tokenizer = named(/^tokenizer\.json$/i) ?? named(/^vocab\.txt$/i);
  const others = files.filter(
    (file) => file !== tokenizer && !/^(tokenizer|special_tokens|config).*\.json$/i.test(file.name),
  );
  if (state.model.value && tokenizer && others.length === 0) return takeTokenizer(tokenizer).catch(report);
  const models = files.filter((file) => kModels.test(file.name));
  const found = models[0] ?? (files.length === 1 ? files[0] : undefined);
  if (!found || models.length > 1) {
    const names = (found ? models : files).map((file) => file.name).join(', ');
    state.problem.value = { message: t(found ? 'manyModels' : 'noModelAmong', { names }) };
    return;
  }
  const externalData = others.filter((file) => file !== found).map((data) => ({ path: data.name, data }));
  return open({ name: found.name, blob: found, externalData, tokenizer });
}

export interface RunSettings {
  readonly repeat: number;
  readonly profile: boolean;
}

/** Runs the model; undefined where it failed or was cancelled, which is shown. */
export async function run(
  makeFeeds: () => Promise<state.Feeds>,
  { repeat, profile }: RunSettings,
): Promise<RunResult | undefined> {
  const mine = opening;
  state.problem.value = undefined;
  state.busy.value = 'run';
  state.progress.value = { phase: 'run', loaded: 0, total: repeat };
  try {
    const feeds = await makeFeeds();
    const result = await engine.run({ feeds, repeat, profile }, (progress) => {
      state.progress.value = progress;
    });
    if (mine !== opening) return undefined;
    state.lastFeeds.value = feeds;
    state.lastRun.value = result;
    return result;
  } catch (error) {
    if (mine !== opening) return undefined;
    report(error);
    if (engine.lost) state.loaded.value = undefined;
    return undefined;
  } finally {
    if (mine === opening) state.busy.value = '';
  }
}

/** Runs the model with its inputs as they are filled in. */
export async function runLast(repeat: number): Promise<void> {
  const makeFeeds = state.feedsMaker.value;
  if (makeFeeds) await run(makeFeeds, { repeat, profile: true });
}

/** Ends what goes on. A run ends before its next node and keeps its session; a load, which may take the worker's thread
 *  for long, ends with the worker. */
export function cancel(): void {
  if (state.busy.value === 'fetch') state.fetching.value?.abort();
  else if (state.busy.value === 'run') engine.cancel();
  else engine.stop();
}
