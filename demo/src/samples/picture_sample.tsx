// Samples that look at pictures: what they find is drawn over the picture and listed.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FileField } from '../app/file_field.js';
import { msText } from '../app/text.js';
import { t } from '../i18n/index.js';
import { heatColour } from '../run/drawing.js';
import { problem, view } from '../state.js';
import { LiveCamera } from './live_camera.js';
import type { Finding, SampleResult } from './messages.js';
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
  // One side may be next to nothing.
  const [resizeWidth, resizeHeight] = [whole.width, whole.height].map((side) => Math.max(1, Math.round(side * scale)));
  return createImageBitmap(whole, { resizeWidth, resizeHeight, resizeQuality: 'high' });
}

interface Shown {
  readonly picture: Picture;
  readonly result: SampleResult | undefined;
  /** Pictures a second. */
  readonly rate: number;
}

/** The camera's pictures with what is found in them, as long as it is on. */
async function watch(camera: LiveCamera, opened: OpenSample, show: (shown: Shown) => void): Promise<void> {
  await camera.start();
  let rate = 0;
  let last = performance.now();
  for (let picture = await camera.picture(); picture; picture = await camera.picture()) {
    const result = await opened.ask({ action: 'picture', picture });
    const now = performance.now();
    rate = 0.8 * rate + (rate === 0 ? 1 : 0.2) * (1000 / Math.max(1, now - last));
    last = now;
    show({ picture, result, rate });
    // A page that is not seen waits here.
    await new Promise(requestAnimationFrame);
  }
}

function useCamera(opened: OpenSample) {
  const [camera, setCamera] = useState<LiveCamera | undefined>(undefined);
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  useEffect(() => () => camera?.end(), [camera]);
  const start = () => {
    const begun = new LiveCamera();
    setCamera(begun);
    problem.value = undefined;
    watch(begun, opened, setShown).catch((error: Error) => {
      problem.value = { message: t('noCamera', { why: error.message }) };
      setCamera(undefined);
    });
  };
  const stop = () => {
    setCamera(undefined);
    setShown(undefined);
  };
  useEffect(() => {
    if (view.value !== 'sample') stop();
  }, [view.value]);
  return { camera, shown: camera && shown, start, stop };
}

export function PictureSample({ opened }: { opened: OpenSample }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const first = useMemo(() => firstPicture(opened.sample.name), [opened]);
  const [picture, setPicture] = useState<Picture | undefined>(first);
  const { camera, shown, start, stop } = useCamera(opened);
  const result = camera ? shown?.result : opened.result.value;
  const take = (taken: Picture) => {
    stop();
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
    const seen = camera ? shown?.picture : picture;
    if (canvas.current && seen) draw(canvas.current, seen, result?.findings ?? []);
  }, [picture, result, camera, shown]);
  return (
    <div class="columns">
      <div class="stack-small">
        <canvas ref={canvas} class="sample-picture" role="img" aria-label={t('samplePicture')} />
        <div class="fields">
          <FileField
            id="sample-file"
            label={t('ownPicture')}
            text={t('ownPicture')}
            accept="image/*"
            take={async (chosen) => {
              problem.value = undefined;
              try {
                take(await bitmapOf(chosen));
              } catch {
                problem.value = { message: t('noPicture', { name: chosen.name }) };
              }
            }}
          />
          <button type="button" id="live" onClick={camera ? () => shown && take(shown.picture) : start}>
            {camera ? t('stopLive') : t('startLive')}
          </button>
        </div>
      </div>
      <section aria-labelledby="found-title">
        <h2 id="found-title">{t('found')}</h2>
        <p class="soft" id="sample-status" role={camera ? undefined : 'status'}>
          {camera
            ? result && t('liveRate', { count: result.findings.length, rate: shown?.rate.toFixed(0) ?? '' })
            : opened.going.value
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
