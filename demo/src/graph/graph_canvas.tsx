// The drawn graph: pan and zoom by pointer, wheel, fingers and keys; choosing and opening boxes.
import { useEffect, useRef } from 'preact/hooks';
import { colours } from '../app/preferences.js';
import { t } from '../i18n/index.js';
import { CanvasControl } from './canvas_control.js';
import type { OpenGraph } from './open_graph.js';

interface Props {
  readonly graph: OpenGraph;
  /** Colours by time, for the nodes whose time is known. */
  readonly heat?: ((key: string) => string | undefined) | undefined;
  /** The page around it scrolls. */
  readonly scrolls?: boolean;
}

export function GraphCanvas({ graph, heat, scrolls }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const control = useRef<CanvasControl>(null);
  const scene = graph.scene.value;
  const look = colours.value;
  useEffect(() => {
    const made = new CanvasControl(canvas.current as HTMLCanvasElement, graph, scrolls);
    control.current = made;
    return () => made.end();
  }, [graph]);
  useEffect(() => {
    if (scene) control.current?.show(scene);
  }, [scene, graph]);
  useEffect(() => control.current?.colour(heat), [heat, look, graph]);
  useEffect(() => control.current?.select(graph.selected.value), [graph.selected.value, graph]);
  useEffect(() => control.current?.retype(), [graph.types.value, graph]);
  useEffect(() => control.current?.reveal(), [graph.reveal.value, scene, graph]);
  return (
    <div class="graph-canvas">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes keys as it says; its nodes are a list beside it too */}
      <canvas ref={canvas} tabIndex={0} role="application" aria-label={t('graphLabel')} aria-describedby="graph-keys" />
      <p id="graph-keys" class="unseen">
        {t('graphKeys')}
      </p>
      <div class="graph-buttons">
        <button type="button" aria-label={t('zoomIn')} title={t('zoomIn')} onClick={() => control.current?.zoomBy(1.4)}>
          +
        </button>
        <button
          type="button"
          aria-label={t('zoomOut')}
          title={t('zoomOut')}
          onClick={() => control.current?.zoomBy(1 / 1.4)}
        >
          −
        </button>
        <button type="button" class="fit" onClick={() => control.current?.fit()}>
          {t('fitGraph')}
        </button>
      </div>
      {!scene && !graph.failed.value && <p class="graph-wait soft">{t('layingOut')}</p>}
    </div>
  );
}
