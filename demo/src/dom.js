// Small helpers for the page: elements, and numbers as text.

/** An element with properties (`class`, `for` and other names with a dash as attributes) and children. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'class' || name === 'for' || name.includes('-')) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

/** A select with [value, label] pairs. */
export function choice(pairs, chosen) {
  const select = element('select', {}, ...pairs.map(([value, label]) => element('option', { value }, label)));
  if (chosen !== undefined) select.value = chosen;
  return select;
}

export function labelled(text, control) {
  return element('label', {}, `${text} `, control);
}

export function bytesText(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] = bytes < 2 ** 20 ? [bytes / 1024, 'KB'] : [bytes / 2 ** 20, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

export function msText(ms) {
  return `${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** A number in few characters. */
export function numberText(value) {
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  return Number(value.toPrecision(5)).toString();
}

export function countText(count) {
  return count.toLocaleString('en');
}
