// Greedy CTC decoding: from the reader's scores to text.

/** The classes of PP-OCR's reader: index 0 is the blank, then the dictionary's lines, last the space. */
export function alphabet(dictionaryText) {
  return ['', ...dictionaryText.replace(/\r?\n$/, '').split(/\r?\n/), ' '];
}

/**
 * @param {Float32Array} scores shape [steps, letters.length]
 * @param {string[]} letters as `alphabet` gives them
 * @returns {string} the best class of each step, repetitions and blanks dropped
 */
export function decode(scores, letters) {
  const classes = letters.length;
  let text = '';
  let previous = 0;
  for (let offset = 0; offset < scores.length; offset += classes) {
    let best = 0;
    for (let i = 1; i < classes; i++) if (scores[offset + i] > scores[offset + best]) best = i;
    if (best !== previous) text += letters[best];
    previous = best;
  }
  return text;
}
