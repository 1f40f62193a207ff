// The views of a model, in the order of their tabs.
import type { ComponentType } from 'preact';
import { GraphView } from '../graph/graph_view.js';
import type { Key } from '../i18n/index.js';
import { ProfileView } from '../profile/profile_view.js';
import { RunView } from '../run/run_view.js';
import type { View } from '../state.js';
import { ModelView } from './model_view.js';

export interface ViewEntry {
  readonly name: View;
  readonly title: Key;
  readonly View: ComponentType;
}

export const kViews: readonly ViewEntry[] = [
  { name: 'graph', title: 'viewGraph', View: GraphView },
  { name: 'model', title: 'viewModel', View: ModelView },
  { name: 'run', title: 'viewRun', View: RunView },
  { name: 'profile', title: 'viewProfile', View: ProfileView },
];
