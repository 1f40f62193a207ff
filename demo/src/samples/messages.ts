// The samples, and what the page and their worker say to each other.
import type { Key } from '../i18n/index.js';
import type { Spoken } from '../i18n/said.js';

export type SampleName = 'ocr' | 'voice' | 'faces' | 'lines';

export interface Sample {
  readonly name: SampleName;
  readonly title: Key;
  readonly text: Key;
  /** Its files in samples/; the first is the model that the page opens. */
  readonly files: readonly string[];
  /** Of the models, by their authors. */
  readonly licence: string;
  readonly size: string;
}

export const kSamples: readonly Sample[] = [
  {
    name: 'ocr',
    title: 'sampleOcr',
    text: 'sampleOcrText',
    files: ['ch_PP-OCRv4_det_infer.onnx', 'ch_PP-OCRv4_rec_infer.onnx', 'ppocr_keys_v1.txt'],
    licence: 'PP-OCRv4, Apache-2.0',
    size: '15 MB',
  },
  {
    name: 'faces',
    title: 'sampleFaces',
    text: 'sampleFacesText',
    files: ['face_detection_front_128x128_barracuda.onnx'],
    licence: 'MediaPipe BlazeFace, Apache-2.0',
    size: '0.4 MB',
  },
  {
    name: 'lines',
    title: 'sampleLines',
    text: 'sampleLinesText',
    files: ['mlsd_320x320_tiny.onnx'],
    licence: 'M-LSD, Apache-2.0',
    size: '2.4 MB',
  },
  {
    name: 'voice',
    title: 'sampleVoice',
    text: 'sampleVoiceText',
    files: ['silero_vad_v5.onnx'],
    licence: 'Silero VAD, MIT',
    size: '2.2 MB',
  },
];

/** In pixels of the picture. */
export type Finding = { readonly x: number; readonly y: number; readonly text: string; readonly score: number } & (
  | { readonly kind: 'box'; readonly width: number; readonly height: number }
  | { readonly kind: 'line'; readonly x2: number; readonly y2: number }
);

export type SampleQuestion = { readonly id: number } & (
  | { readonly action: 'load'; readonly sample: SampleName; readonly files: readonly Blob[] }
  | { readonly action: 'picture'; readonly picture: ImageBitmap }
  | { readonly action: 'sound'; readonly sound: Float32Array }
  /** What is heard from here on begins anew. */
  | { readonly action: 'listen' }
  | { readonly action: 'hear'; readonly sound: Float32Array }
);
export interface SampleResult {
  readonly findings: readonly Finding[];
  readonly speech: Float32Array | undefined;
  readonly ms: number;
}
export type SampleAnswer =
  | { readonly id: number; readonly result: SampleResult | null }
  | ({ readonly id: number } & Spoken);
