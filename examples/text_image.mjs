// Draws text into the input images of the OCR models, the same every time: 5 x 7 bitmap glyphs, no files.

const kGlyphs = {
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

/** Draws `text` in black into a grey image (width x height bytes), its corner at (x0, y0), each glyph dot `scale` wide. */
export function drawText(image, width, height, text, x0, y0, scale) {
  [...text].forEach((letter, index) => {
    const rows = kGlyphs[letter].split(' ');
    for (let y = 0; y < 7 * scale; y++) {
      for (let x = 0; x < 5 * scale; x++) {
        const yy = y0 + y;
        const xx = x0 + index * 6 * scale + x;
        const inside = xx >= 0 && xx < width && yy >= 0 && yy < height;
        if (inside && rows[Math.floor(y / scale)][Math.floor(x / scale)] === '1') image[yy * width + xx] = 0;
      }
    }
  });
}

// A grey image as float32 [3, height, width]: (v / 255 - mean) / deviation per channel.
function normalise(image, means, deviations) {
  const out = new Float32Array(3 * image.length);
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < image.length; i++) out[c * image.length + i] = (image[i] / 255 - means[c]) / deviations[c];
  }
  return out;
}

/** The text reader's input [1, 3, 48, width], values in -1..1. */
export function recImage(width, text = 'HELLO WASM 257') {
  const height = 48;
  const image = new Uint8Array(height * width).fill(255);
  const scale = Math.max(1, Math.min(4, Math.floor((width - 16) / (6 * text.length))));
  drawText(image, width, height, text, 8, 7, scale);
  return normalise(image, [0.5, 0.5, 0.5], [0.5, 0.5, 0.5]);
}

/** The text detector's input [1, 3, height, width], normalised by ImageNet's means and deviations: three lines of text. */
export function detImage(height, width) {
  const image = new Uint8Array(height * width).fill(255);
  drawText(image, width, height, 'HELLO WASM', 20, 40, 4);
  drawText(image, width, height, '12 57', 40, 120, 6);
  drawText(image, width, height, 'SEE ALSO', 24, 220, 3);
  return normalise(image, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
}
