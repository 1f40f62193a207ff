// Draws text into small grey images and turns them into the tensors that PP-OCR's reader takes.

const GLYPH_WIDTH = 5;
const GLYPH_HEIGHT = 7;

// One string per letter: seven rows of five pixels.
const glyphs = {
  H: '10001 10001 10001 11111 10001 10001 10001',
  E: '11111 10000 10000 11110 10000 10000 11111',
  L: '10000 10000 10000 10000 10000 10000 11111',
  O: '01110 10001 10001 10001 10001 10001 01110',
  W: '10001 10001 10001 10101 10101 11011 10001',
  A: '01110 10001 10001 11111 10001 10001 10001',
  S: '01111 10000 10000 01110 00001 00001 11110',
  M: '10001 11011 10101 10101 10001 10001 10001',
  1: '00100 01100 00100 00100 00100 00100 01110',
  2: '01110 10001 00001 00110 01000 10000 11111',
  5: '11111 10000 11110 00001 00001 10001 01110',
  7: '11111 00001 00010 00100 01000 01000 01000',
  ' ': '00000 00000 00000 00000 00000 00000 00000',
};

/** A white image of `width` x `height` grey pixels (rows of bytes). */
export function blankImage(width, height) {
  return { width, height, pixels: new Uint8Array(width * height).fill(255) };
}

/** Draws `text` in black; its upper left corner at (x, y), each pixel of a glyph `scale` x `scale` pixels large. */
export function drawText(image, text, x, y, scale) {
  let left = x;
  for (const letter of text) {
    const rows = glyphs[letter]?.split(' ');
    if (!rows) throw new Error(`no glyph for '${letter}'`);
    for (let row = 0; row < GLYPH_HEIGHT * scale; row++) {
      for (let column = 0; column < GLYPH_WIDTH * scale; column++) {
        if (rows[Math.floor(row / scale)][Math.floor(column / scale)] === '1') {
          setBlack(image, left + column, y + row);
        }
      }
    }
    left += (GLYPH_WIDTH + 1) * scale;
  }
}

function setBlack(image, x, y) {
  if (x >= 0 && x < image.width && y >= 0 && y < image.height) image.pixels[y * image.width + x] = 0;
}

/** The reader's input for one line of text: float32 values in -1..1, shape [1, 3, 48, width]. */
export function readerInput(text, width = 320) {
  const height = 48;
  const margin = 8;
  const image = blankImage(width, height);
  const fitting = Math.floor((width - 2 * margin) / ((GLYPH_WIDTH + 1) * text.length));
  drawText(image, text, margin, 7, Math.max(1, Math.min(4, fitting)));
  const plane = width * height;
  const values = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel++) {
    for (let i = 0; i < plane; i++) values[channel * plane + i] = (image.pixels[i] / 255 - 0.5) / 0.5;
  }
  return { values, dims: [1, 3, height, width] };
}
