// The views of a model, in the order of their tabs.
import type { ComponentType } from 'preact';
import { GraphView } from '../graph/graph_view.js';
import type { Key } from '../i18n/index.js';
import { ProfileView } from '../profile/profile_view.js';
import { RunView } from '../run/run_view.js';
import { SampleView } from '../samples/sample_view.js';
import { openSample, type View } from '../state.js';
import { ToolsView } from '../tools/tools_view.js';
import { ModelView } from './model_view.js';

export interface ViewEntry {
  readonly name: View;
  readonly title: Key;
  /** Where there is little room. */
  readonly short?: Key;
  readonly View: ComponentType;
}

const kAll: readonly ViewEntry[] = [
  { name: 'sample', title: 'viewSample', View: SampleView },
  { name: 'graph', title: 'viewGraph', View: GraphView },
  { name: 'model', title: 'viewModel', View: ModelView },
  { name: 'run', title: 'viewRun', View: RunView },
  { name: 'profile', title: 'viewProfile', View: ProfileView },
  { name: 'check', title: 'viewCheck', short: 'viewCheckShort', View: ToolsView },
];

export const shownViews = (): readonly ViewEntry[] =>
  kAll.filter(({ name }) => name !== 'sample' || openSample.value !== undefined);
