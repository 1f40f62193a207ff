// The page's side of the tools' worker: one job at a time, which a cancel ends with its worker.
import { signal } from '@preact/signals';
import type { CheckReport, SimplifyResult } from '../../../web/src/tools/types.js';
import { errorOf, t } from '../i18n/index.js';
import { type Model, problem, problemOf } from '../state.js';
import type { ToolAnswer, ToolQuestion, ToolResult } from './worker.js';

type Action = ToolQuestion['action'];
/** What goes on. */
export const working = signal<Action | undefined>(undefined);
let worker: Worker | undefined;
let stop: ((error: Error) => void) | undefined;

class Cancelled extends Error {
  readonly silent: boolean;
  constructor(silent: boolean) {
    super('cancelled');
    this.silent = silent;
  }
}

function ask(model: Model, question: { action: Action; dims?: Record<string, number> }): Promise<ToolResult> {
  worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const mine = worker;
  return new Promise<ToolResult>((resolve, reject) => {
    stop = (error) => {
      mine.terminate();
      if (worker === mine) worker = undefined;
      reject(error);
    };
    mine.onmessage = ({ data }: MessageEvent<ToolAnswer>) => {
      if ('error' in data) reject(errorOf(data));
      else resolve(data.result);
    };
    mine.onerror = (event) => stop?.(new Error(t('workerEnded', { why: event.message || t('notLoadable') })));
    mine.postMessage({ ...question, id: 0, model: model.blob, externalData: model.externalData });
  });
}

let jobs = 0;

/** Errors and a cancel are shown, and give undefined. */
async function work(model: Model, question: { action: Action; dims?: Record<string, number> }) {
  cancelTool({ silent: true });
  const job = ++jobs;
  working.value = question.action;
  try {
    return await ask(model, question);
  } catch (error) {
    if (!(error instanceof Cancelled)) problem.value = problemOf(error);
    else if (!error.silent) problem.value = { message: t('cancelled'), calm: true };
    return undefined;
  } finally {
    if (job === jobs) {
      working.value = undefined;
      stop = undefined;
    }
  }
}

/** `silent`: nobody waits for the job any more. */
export function cancelTool({ silent = false } = {}): void {
  stop?.(new Cancelled(silent));
  stop = undefined;
}

export const checkModel = async (model: Model) => (await work(model, { action: 'check' })) as CheckReport | undefined;
export const printModel = async (model: Model) => (await work(model, { action: 'print' })) as string | undefined;
export const simplifyModel = async (model: Model, dims: Record<string, number>) =>
  (await work(model, { action: 'simplify', dims })) as SimplifyResult | undefined;
