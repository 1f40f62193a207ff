// Sound files for the studio's tests.

/** A mono WAV file of the samples' own type. @param {Int16Array | Float32Array} samples */
export function wav(samples, rate) {
  const size = samples.BYTES_PER_ELEMENT;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(samples instanceof Float32Array ? 3 : 1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(size * rate, 28);
  head.writeUInt16LE(size, 32);
  head.writeUInt16LE(8 * size, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}
