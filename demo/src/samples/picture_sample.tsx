// Samples that look at pictures: what they find is drawn over the picture and listed.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { msText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { Camera } from '../run/camera.js';
import { heatColour } from '../run/drawing.js';
import { problem } from '../state.js';
import type { Finding } from './messages.js';
import type { OpenSample } from './open_sample.js';
import { firstPicture } from './pictures.js';

type Picture = HTMLCanvasElement | ImageBitmap;
const kMostSide = 1600;

function draw(canvas: HTMLCanvasElement, picture: Picture, findings: readonly Finding[]): void {
  Object.assign(canvas, { width: picture.width, height: picture.height });
  const context = canvas.getContext('2d');
  if (!context) return;
  context.drawImage(picture, 0, 0);
  context.lineWidth = Math.max(2, picture.width / 320);
  for (const [i, finding] of findings.entries()) {
    const [r, g, b] = heatColour(0.4 + (i % 6) / 10);
    context.strokeStyle = `rgb(${r} ${g} ${b})`;
    context.beginPath();
    if (finding.kind === 'box') context.rect(finding.x, finding.y, finding.width, finding.height);
    else {
      context.moveTo(finding.x, finding.y);
      context.lineTo(finding.x2, finding.y2);
    }
    context.stroke();
  }
}

/** Photos of phones are larger than any of the models looks. */
async function bitmapOf(picture: Blob | Picture): Promise<ImageBitmap> {
  const whole = await createImageBitmap(picture);
  const scale = kMostSide / Math.max(whole.width, whole.height);
  if (scale >= 1) return whole;
  const [resizeWidth, resizeHeight] = [Math.round(whole.width * scale), Math.round(whole.height * scale)];
  return createImageBitmap(whole, { resizeWidth, resizeHeight, resizeQuality: 'high' });
}

export function PictureSample({ opened }: { opened: OpenSample }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const first = useMemo(() => firstPicture(opened.sample.name), [opened]);
  const [picture, setPicture] = useState<Picture | undefined>(first);
  const result = opened.result.value;
  const take = (taken: Picture) => {
    opened.result.value = undefined;
    setPicture(taken);
  };
  useEffect(() => {
    const look = async () => {
      if (picture) await opened.look({ action: 'picture', picture: await bitmapOf(picture) });
    };
    look();
  }, [picture, opened]);
  useEffect(() => {
    if (canvas.current && picture) draw(canvas.current, picture, result?.findings ?? []);
  }, [picture, result]);
  return (
    <div class="columns">
      <div class="stack-small">
        <canvas ref={canvas} class="sample-picture" role="img" aria-label={t('samplePicture')} />
        <div class="fields">
          <input
            id="sample-file"
            type="file"
            accept="image/*"
            aria-label={t('ownPicture')}
            onChange={async (event) => {
              const chosen = event.currentTarget.files?.[0];
              if (!chosen) return;
              try {
                take(await bitmapOf(chosen));
              } catch {
                problem.value = { message: t('noPicture', { name: chosen.name }) };
              }
            }}
          />
        </div>
        <Camera take={take} />
      </div>
      <section aria-labelledby="found-title">
        <h2 id="found-title">{t('found')}</h2>
        <p class="soft" id="sample-status" role="status">
          {opened.going.value
            ? t('running')
            : result && t('foundIn', { count: result.findings.length, time: msText(result.ms) })}
        </p>
        <ol class="findings" id="findings">
          {result?.findings.map((finding, i) => (
            <li key={`${i} ${finding.x}`}>
              <span class="finding-text">{finding.text || place(finding)}</span>
              <span class="soft">{(100 * finding.score).toFixed(0)} %</span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function place(finding: Finding): string {
  const [x, y] = [Math.round(finding.x), Math.round(finding.y)];
  if (finding.kind === 'line') return `(${x}, ${y}) – (${Math.round(finding.x2)}, ${Math.round(finding.y2)})`;
  return `(${x}, ${y}), ${Math.round(finding.width)} × ${Math.round(finding.height)}`;
}
