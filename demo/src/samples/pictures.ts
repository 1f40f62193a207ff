// The pictures that the samples begin with: drawn here, so that they need no file and no licence.
import { language } from '../i18n/index.js';
import type { SampleName } from './messages.js';

type Context = CanvasRenderingContext2D;

function text(context: Context): void {
  context.fillStyle = '#fbf8f1';
  context.fillRect(0, 0, 960, 540);
  context.fillStyle = '#20304a';
  context.fillRect(0, 0, 960, 120);
  context.fillStyle = '#ffffff';
  context.font = '700 58px Arial, "Liberation Sans", sans-serif';
  context.fillText('SARDONYX STUDIO', 48, 82);
  context.fillStyle = '#222';
  context.font = '40px Arial, "Liberation Sans", sans-serif';
  // Who reads Chinese has a font with its characters.
  const said = language.peek() === 'zh' ? '在浏览器中读取文字' : 'Reads text in your browser.';
  context.fillText(said, 48, 210);
  context.fillText('No server, no upload: 100 % local', 48, 290);
  context.font = '44px Verdana, "DejaVu Sans", sans-serif';
  context.fillText('HELLO WASM 257', 48, 380);
  context.font = 'italic 34px Georgia, "Liberation Serif", serif';
  context.fillText('28 November 2026', 48, 470);
}

function ellipse(context: Context, colour: string, x: number, y: number, rx: number, ry: number): void {
  context.fillStyle = colour;
  context.beginPath();
  context.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
  context.fill();
}

function face(context: Context): void {
  context.fillStyle = 'rgb(150 170 190)';
  context.fillRect(0, 0, 640, 640);
  const at = (colour: string, x: number, y: number, rx: number, ry: number) =>
    ellipse(context, colour, 5 * x, 5 * y, 5 * rx, 5 * ry);
  at('rgb(60 40 30)', 64, 52, 31, 38);
  const skin = context.createRadialGradient(320, 320, 20, 320, 320, 170);
  skin.addColorStop(0, 'rgb(225 180 150)');
  skin.addColorStop(1, 'rgb(172 138 115)');
  at(skin as unknown as string, 64, 64, 26, 34);
  for (const x of [53, 75]) {
    at('rgb(245 245 245)', x, 56, 6, 3);
    at('rgb(40 30 25)', x, 56, 2.6, 2.8);
    at('rgb(70 45 30)', x, 49, 8, 1.6);
  }
  at('rgb(205 155 125)', 64, 68, 3.5, 7);
  at('rgb(170 115 95)', 64, 74, 5, 2);
  at('rgb(170 70 70)', 64, 84, 10, 3);
  at('rgb(110 40 40)', 64, 84, 9, 0.7);
}

function room(context: Context): void {
  const shape = (colour: string, ...points: number[]) => {
    context.fillStyle = colour;
    context.beginPath();
    for (let i = 0; i < points.length; i += 2) context.lineTo(points[i], points[i + 1]);
    context.fill();
  };
  shape('#d9d2c5', 0, 0, 640, 0, 640, 480, 0, 480);
  shape('#b7ab98', 180, 120, 470, 120, 470, 320, 180, 320);
  shape('#8d7f6c', 0, 480, 180, 320, 470, 320, 640, 480);
  shape('#efeae0', 0, 0, 180, 120, 470, 120, 640, 0);
  shape('#5c7f9e', 230, 150, 340, 150, 340, 250, 230, 250);
  shape('#6d4a33', 390, 190, 440, 190, 440, 320, 390, 320);
}

/** Undefined for samples that begin without a picture. */
export function firstPicture(sample: SampleName): HTMLCanvasElement | undefined {
  const drawings = { ocr: [text, 960, 540], faces: [face, 640, 640], lines: [room, 640, 480] } as const;
  if (sample === 'voice') return undefined;
  const [draw, width, height] = drawings[sample];
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (context) draw(context);
  return canvas;
}
