// Reads the text out of the PP-OCR reader's output (CTC, greedy).

/**
 * The text of a tensor [1, steps, classes] of probabilities. Class 0 is the blank, then come the lines of the
 * dictionary, the last class is the space.
 */
export function readText({ data, dims: [, steps, classes] }, dictionary) {
  const letters = ['', ...dictionary.trimEnd().split(/\r?\n/), ' '];
  if (letters.length !== classes) throw new Error(`${classes} classes, but ${letters.length} letters`);
  let text = '';
  let before = 0;
  for (let t = 0; t < steps; t++) {
    const row = data.subarray(t * classes, (t + 1) * classes);
    const best = row.reduce((top, v, i) => (v > row[top] ? i : top), 0);
    if (best !== before) text += letters[best];
    before = best;
  }
  return text;
}
