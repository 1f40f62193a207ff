// Back and forward of the browser: the page without a model is a step, and each view of a model is one.
import { batch, effect } from '@preact/signals';
import { close } from '../actions.js';
import { type Model, model, openSample, reopen, type View, view } from '../state.js';

interface Step {
  /** Undefined: the page without a model. */
  readonly model?: number | undefined;
  readonly view?: View | undefined;
}

// Steps of an earlier life of the page, whose models are gone, have other numbers.
let next = performance.timeOrigin;
const numbers = new WeakMap<Model, number>();

function numberOf(opened: Model): number {
  const known = numbers.get(opened) ?? ++next;
  numbers.set(opened, known);
  return known;
}

const stepNow = (): Step => (model.value ? { model: numberOf(model.value), view: view.value } : {});
const stepOf = (state: unknown): Step => (state as Step | null) ?? {};

let last: { readonly number: number; readonly open: () => void } | undefined;

function go(step: Step): void {
  const now = model.peek();
  if (now && step.model === numberOf(now)) {
    if (step.view && (step.view !== 'sample' || openSample.peek())) view.value = step.view;
  } else if (step.model !== undefined && step.model === last?.number) {
    const { number, open } = last;
    batch(() => {
      open();
      // The same model, opened anew.
      if (model.value) numbers.set(model.value, number);
      if (step.view) view.value = step.view;
    });
  } else {
    // Nothing, or a model that is gone.
    if (step.model !== undefined) history.replaceState(null, '');
    if (now) close();
  }
}

export function keepHistory(): void {
  history.replaceState(null, '');
  effect(() => {
    const step = stepNow();
    if (model.value && reopen.value) last = { number: numberOf(model.value), open: reopen.value };
    const shown = stepOf(history.state);
    if (step.model !== shown.model || step.view !== shown.view) history.pushState(step, '');
  });
  addEventListener('popstate', ({ state }) => go(stepOf(state)));
}
