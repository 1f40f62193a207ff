// The keyboard's place on the page: where what has it goes away, it goes to what is around, not to the page's beginning.

const gone = (element: Element): boolean => !element.isConnected || !element.checkVisibility();

/** Moves the keyboard to `selector`, once it is there to be moved to. */
export function focusOn(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }));
}

export function keepFocus(): void {
  let last: Element | undefined;
  let asked = false;
  const look = () => {
    asked = false;
    const { activeElement, body } = document;
    if (last && gone(last) && (activeElement === body || activeElement === null)) {
      last = undefined;
      document.getElementById('content')?.focus({ preventScroll: true });
    }
  };
  addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : undefined;
  });
  new MutationObserver(() => {
    if (asked || !last) return;
    asked = true;
    requestAnimationFrame(look);
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['hidden', 'class'] });
}
