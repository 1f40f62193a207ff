// The page's side of the tools' worker: one job at a time, which a cancel ends with its worker.
import { signal } from '@preact/signals';
import type { CheckReport, SimplifyResult } from '../../../web/src/tools/types.js';
import { t } from '../i18n/index.js';
import { type Model, problem } from '../state.js';
import type { ToolAnswer, ToolQuestion, ToolResult } from './worker.js';

type Action = ToolQuestion['action'];
/** What goes on. */
export const working = signal<Action | undefined>(undefined);
let worker: Worker | undefined;
let stop: (() => void) | undefined;

function ask(model: Model, question: { action: Action; dims?: Record<string, number> }): Promise<ToolResult> {
  worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const mine = worker;
  return new Promise<ToolResult>((resolve, reject) => {
    stop = () => {
      mine.terminate();
      worker = undefined;
      reject(new Error(t('cancelled')));
    };
    mine.onmessage = ({ data }: MessageEvent<ToolAnswer>) => {
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.result);
    };
    mine.onerror = (event) => reject(new Error(event.message || 'the worker ended'));
    mine.postMessage({ ...question, id: 0, model: model.blob, externalData: model.externalData });
  });
}

/** Errors and a cancel are shown, and give undefined. */
async function work(model: Model, question: { action: Action; dims?: Record<string, number> }) {
  cancelTool();
  working.value = question.action;
  try {
    return await ask(model, question);
  } catch (error) {
    problem.value = { message: (error as Error).message };
    return undefined;
  } finally {
    working.value = undefined;
    stop = undefined;
  }
}

export function cancelTool(): void {
  stop?.();
}

export const checkModel = async (model: Model) => (await work(model, { action: 'check' })) as CheckReport | undefined;
export const printModel = async (model: Model) => (await work(model, { action: 'print' })) as string | undefined;
export const simplifyModel = async (model: Model, dims: Record<string, number>) =>
  (await work(model, { action: 'simplify', dims })) as SimplifyResult | undefined;
