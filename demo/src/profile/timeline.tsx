// The run along time: a bar per node, those of subgraphs under the node that ran them; zoomed by wheel, buttons and keys.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProfileEntry } from 'sardonyx';
import { colours } from '../app/preferences.js';
import { msText } from '../app/text.js';
import { categoryOf, kCategories } from '../graph/categories.js';
import { t } from '../i18n/index.js';

const kRow = 26;
const kAxis = 22;

interface Span {
  readonly begin: number;
  readonly end: number;
}

function ticksOf({ begin, end }: Span): number[] {
  const raw = (end - begin) / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= raw) ?? 10);
  const first = Math.ceil(begin / step);
  return Array.from({ length: Math.max(0, Math.floor(end / step) - first + 1) }, (_, i) => (first + i) * step);
}

function paint(canvas: HTMLCanvasElement, profile: readonly ProfileEntry[], span: Span, hovered: number): void {
  const context = canvas.getContext('2d');
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!context || width === 0) return;
  Object.assign(canvas, { width: width * ratio, height: height * ratio });
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => {
    canvas.style.setProperty('accent-color', `var(${name})`);
    return getComputedStyle(canvas).accentColor;
  };
  const fills = kCategories.map((name) => colour(`--node-${name}`));
  const at = (ms: number) => ((ms - span.begin) / (span.end - span.begin)) * width;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = style.color;
  for (const tick of ticksOf(span)) {
    context.globalAlpha = 0.75;
    const [text, left] = [msText(tick), at(tick) + 4];
    if (left + context.measureText(text).width < width) context.fillText(text, left, kAxis / 2);
    context.globalAlpha = 0.18;
    context.fillRect(at(tick), 0, 1, height);
  }
  context.globalAlpha = 1;
  for (const [i, { start, duration, opType, depth }] of profile.entries()) {
    const [left, right] = [at(start), at(start + duration)];
    if (right < 0 || left > width) continue;
    const y = kAxis + depth * kRow;
    context.fillStyle = i === hovered ? style.color : fills[categoryOf(opType)];
    context.fillRect(left, y, Math.max(0.6, right - left - 0.5), kRow - 3);
    if (right - left < 34) continue;
    context.save();
    context.beginPath();
    context.rect(left, y, right - left - 2, kRow);
    context.clip();
    context.fillStyle = '#fff';
    context.fillText(opType, Math.max(left, 0) + 5, y + kRow / 2 - 1);
    context.restore();
  }
}

export function Timeline({ profile, choose }: { profile: readonly ProfileEntry[]; choose: (node: string) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const most = (of: (entry: ProfileEntry) => number, least: number) =>
    profile.reduce((found, entry) => Math.max(found, of(entry)), least);
  const whole = { begin: 0, end: most(({ start, duration }) => start + duration, 0.001) };
  const [span, setSpan] = useState<Span>(whole);
  const [hovered, setHovered] = useState(-1);
  const [width, setWidth] = useState(0);
  const drag = useRef<{ readonly x: number; readonly far: number } | undefined>(undefined);
  const depth = most((entry) => entry.depth, 0);
  const look = colours.value;
  useEffect(() => setSpan(whole), [profile]);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(canvas.current?.clientWidth ?? 0));
    if (canvas.current) observer.observe(canvas.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current) paint(canvas.current, profile, span, hovered);
  }, [profile, span, hovered, width, look]);
  const timeAt = (x: number) => span.begin + ((span.end - span.begin) * x) / (canvas.current?.clientWidth || 1);
  const zoom = (factor: number, centre = (span.begin + span.end) / 2) => {
    const begin = Math.max(0, centre - (centre - span.begin) * factor);
    const end = Math.min(whole.end, centre + (span.end - centre) * factor);
    if (end - begin > whole.end / 1e5) setSpan({ begin, end });
  };
  const move = (part: number) => {
    const by = Math.max(-span.begin, Math.min(whole.end - span.end, (span.end - span.begin) * part));
    setSpan({ begin: span.begin + by, end: span.end + by });
  };
  const find = ({ offsetX, offsetY }: MouseEvent) => {
    const [time, row] = [timeAt(offsetX), Math.floor((offsetY - kAxis) / kRow)];
    return profile.findIndex((e) => e.depth === row && e.start <= time && time <= e.start + e.duration);
  };
  const entry = profile[hovered];
  return (
    <figure class="timeline">
      <canvas
        ref={canvas}
        role="img"
        aria-label={t('timelineLabel')}
        style={{ height: `${kAxis + (depth + 1) * kRow}px` }}
        onWheel={(event) => {
          // Without a key the wheel scrolls the page.
          const along = event.shiftKey || event.deltaX !== 0;
          if (!along && !event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          if (along) move((event.deltaX || event.deltaY) / 800);
          else zoom(Math.exp(event.deltaY * 0.002), timeAt(event.offsetX));
        }}
        onPointerDown={(event) => {
          drag.current = { x: event.offsetX, far: 0 };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={(event) => {
          event.currentTarget.releasePointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          setHovered(find(event));
          const dragged = drag.current;
          if (!dragged || event.buttons === 0) return;
          const by = event.offsetX - dragged.x;
          drag.current = { x: event.offsetX, far: dragged.far + Math.abs(by) };
          move(-by / (canvas.current?.clientWidth || 1));
        }}
        onPointerLeave={() => setHovered(-1)}
        onClick={(event) => {
          const found = profile[find(event)];
          if (found && (drag.current?.far ?? 0) < 4) choose(found.node);
        }}
      />
      <figcaption class="fields">
        <button type="button" aria-label={t('zoomIn')} onClick={() => zoom(0.6)}>
          +
        </button>
        <button type="button" aria-label={t('zoomOut')} onClick={() => zoom(1 / 0.6)}>
          −
        </button>
        <button type="button" aria-label={t('earlier')} onClick={() => move(-0.4)}>
          ←
        </button>
        <button type="button" aria-label={t('later')} onClick={() => move(0.4)}>
          →
        </button>
        <span class={entry ? 'soft hovered' : 'soft hovered hint'}>
          {entry ? `${entry.opType} ${entry.node}: ${msText(entry.duration)}, ${entry.shapes}` : t('timelineHint')}
        </span>
      </figcaption>
    </figure>
  );
}
