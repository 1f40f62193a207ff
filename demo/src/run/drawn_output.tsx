// An output drawn: as an image, a heat map, a mask over the input, a waveform, boxes.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Choice, Field } from '../app/controls.js';
import { colours } from '../app/preferences.js';
import { type Key, t } from '../i18n/index.js';
import { type BoxFormat, detections } from './boxes.js';
import { type Box, drawBoxes, drawHeat, drawImage, drawMask, drawWave, planesOf } from './drawing.js';
import type { Numbers, Statistics } from './elements.js';

export type DrawnKind = 'image' | 'heat' | 'mask' | 'wave' | 'boxes';

export const kDrawnTexts: Readonly<Record<DrawnKind, Key>> = {
  image: 'asImage',
  heat: 'asHeat',
  mask: 'asMask',
  wave: 'asWave',
  boxes: 'asBoxes',
};

interface Props {
  readonly name: string;
  readonly kind: DrawnKind;
  readonly dims: readonly number[];
  readonly numbers: Numbers;
  readonly stats: Statistics;
  readonly picture: HTMLCanvasElement | undefined;
}

type TextBox = Box & { readonly text: string };

function boxesOf({ kind, numbers, dims, picture }: Props, threshold: number, format: BoxFormat): TextBox[] {
  if (kind !== 'boxes') return [];
  const { width, height } = sizeOf(picture);
  const found = detections(numbers, dims, { format, threshold, width, height });
  return found.map((box) => ({ ...box, text: `${box.kind}: ${box.score.toFixed(2)}` }));
}

const sizeOf = (picture: Props['picture']) => ({ width: picture?.width ?? 480, height: picture?.height ?? 480 });

function draw(canvas: HTMLCanvasElement, props: Props, threshold: number, plane: number, boxes: TextBox[]): void {
  const { kind, numbers, stats, dims, picture } = props;
  const { width, height } = sizeOf(picture);
  const planes = planesOf(dims);
  if (kind === 'wave') drawWave(canvas, numbers, stats);
  else if (kind === 'boxes') drawBoxes(canvas, picture, width, height, boxes);
  else if (!planes) return;
  else if (kind === 'heat') drawHeat(canvas, numbers, planes, stats, plane);
  else if (kind === 'mask') drawMask(canvas, numbers, planes, threshold, picture);
  else drawImage(canvas, numbers, planes, stats);
}

const kFormats: readonly (readonly [BoxFormat, string])[] = [
  ['xyxy', 'x1 y1 x2 y2'],
  ['cxcywh', 'cx cy w h'],
  ['yxyx', 'y1 x1 y2 x2'],
  ['xywh', 'x y w h'],
];

/** Boxes of which the picture's text tells. */
const kSaid = 20;

export function Drawing(props: Props) {
  const { kind, dims, stats, name } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const start = kind === 'boxes' ? 0.5 : (stats.min + stats.max) / 2;
  const [threshold, setThreshold] = useState(start);
  const [plane, setPlane] = useState(0);
  const [format, setFormat] = useState<BoxFormat>('xyxy');
  const planes = planesOf(dims);
  const look = colours.value;
  const boxes = useMemo(
    () => boxesOf(props, threshold, format),
    [props.numbers, props.picture, kind, threshold, format],
  );
  useEffect(() => {
    if (canvas.current) draw(canvas.current, props, threshold, plane, boxes);
  }, [props.numbers, props.picture, kind, threshold, plane, boxes, look]);
  const said = boxes.slice(0, kSaid).map(({ text }) => text);
  return (
    <div class="drawing">
      {(kind === 'mask' || kind === 'boxes') && (
        <div class="fields">
          <Field text={t('threshold')}>
            <input
              type="number"
              step="any"
              value={threshold}
              onInput={(event) => setThreshold(event.currentTarget.valueAsNumber || 0)}
            />
          </Field>
          {kind === 'boxes' && <Choice text={t('boxFormat')} options={kFormats} value={format} onChange={setFormat} />}
        </div>
      )}
      {kind === 'heat' && planes && planes.count > 1 && (
        <Field text={`${t('channels')} (0-${planes.count - 1})`}>
          <input
            type="number"
            min={0}
            max={planes.count - 1}
            value={plane}
            onInput={(event) =>
              setPlane(Math.max(0, Math.min(planes.count - 1, Math.trunc(event.currentTarget.valueAsNumber) || 0)))
            }
          />
        </Field>
      )}
      <canvas
        ref={canvas}
        class={`drawn drawn-${kind}`}
        role="img"
        aria-label={[t('outputDrawn', { name, kind: t(kDrawnTexts[kind]) }), ...said].join(', ')}
      />
    </div>
  );
}
