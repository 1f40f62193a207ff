// One thread of batch.mjs: its own session; an image's path comes in, the likeliest class and its score go out.
import { workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'sardonyx';
import sharp from 'sharp';

const { model, height, width } = workerData;
const session = await InferenceSession.create(model);

// Models for images mostly want planes of red, green and blue from -1 to 1.
async function imageTensor(path) {
  const image = sharp(path).resize(width, height, { fit: 'fill' }).removeAlpha().toColourspace('srgb');
  const pixels = await image.raw().toBuffer();
  const plane = height * width;
  const data = new Float32Array(3 * plane);
  for (let i = 0; i < plane; i++) {
    for (let c = 0; c < 3; c++) data[c * plane + i] = pixels[3 * i + c] / 127.5 - 1;
  }
  return new Tensor('float32', data, [1, 3, height, width]);
}

export default async function classify(path) {
  const outputs = await session.run({ [session.inputNames[0]]: await imageTensor(path) });
  const { data } = outputs[session.outputNames[0]];
  const best = data.indexOf(data.reduce((a, b) => Math.max(a, b)));
  return { class: best, score: data[best] };
}
