// What the tools' inference knows of values, for those whose types the file does not state.
import type { ModelDescription, TypeDescription } from '../../../web/src/tools/types.js';
import { type Body, bodiesOf, graphBody, keyOf } from './keys.js';

/** Types by name, by the prefix of the graph (see Body). */
export type ScopeTypes = ReadonlyMap<string, ReadonlyMap<string, TypeDescription>>;

/** The types that a model states of the values in its graphs; those of functions have none of their own. */
export function typesIn(model: ModelDescription): ScopeTypes {
  const found = new Map<string, Map<string, TypeDescription>>();
  const own = { ...model, functions: [] };
  const walk = ({ prefix, graph, nodes }: Body) => {
    const stated = [...(graph?.values ?? []), ...(graph?.inputs ?? []), ...(graph?.outputs ?? [])];
    found.set(prefix, new Map(stated.flatMap(({ name, type }) => (type ? [[name, type] as const] : []))));
    for (const node of nodes) for (const body of bodiesOf(own, node, keyOf(prefix, node.index))) walk(body);
  };
  walk(graphBody(model.graph, ''));
  return found;
}
