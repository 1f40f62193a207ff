// The samples' models, and what comes before and after their runs, away from the page's thread.
import { InferenceSession } from 'sardonyx';
import { spoken } from '../i18n/said.js';
import { findFaces } from './faces.js';
import { findLines } from './lines.js';
import type { Finding, SampleAnswer, SampleName, SampleQuestion, SampleResult } from './messages.js';
import { readText } from './ocr.js';
import { Listener } from './voice.js';

let sample: SampleName | undefined;
let sessions: InferenceSession[] = [];
let dictionary = '';
let listener: Listener | undefined;

async function load(name: SampleName, files: readonly Blob[]): Promise<null> {
  for (const session of sessions) await session.release();
  sessions = [];
  sample = name;
  const [text] = files.slice(2);
  dictionary = text ? await text.text() : '';
  // Threads would end with a cancel of one of them; these models are small.
  for (const file of files.slice(0, 2)) sessions.push(await InferenceSession.create(file, { worker: false }));
  return null;
}

function find(picture: ImageBitmap): Promise<Finding[]> {
  if (sample === 'ocr') return readText(sessions[0], sessions[1], dictionary, picture);
  return sample === 'faces' ? findFaces(sessions[0], picture) : findLines(sessions[0], picture);
}

async function answer(question: SampleQuestion): Promise<SampleResult | null> {
  if (question.action === 'load') return load(question.sample, question.files);
  if (question.action === 'listen') {
    listener = new Listener(sessions[0]);
    return null;
  }
  const start = performance.now();
  if (question.action === 'sound' || question.action === 'hear') {
    const hearing = question.action === 'hear' && listener ? listener : new Listener(sessions[0]);
    const speech = await hearing.hear(question.sound);
    return { findings: [], speech, ms: performance.now() - start };
  }
  const findings = await find(question.picture);
  return { findings, speech: undefined, ms: performance.now() - start };
}

self.addEventListener('message', async ({ data }: MessageEvent<SampleQuestion>) => {
  const reply = (message: SampleAnswer) => (self as unknown as Worker).postMessage(message);
  try {
    reply({ id: data.id, result: await answer(data) });
  } catch (error) {
    reply({ id: data.id, ...spoken(error) });
  }
});
