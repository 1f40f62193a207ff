// Keys of nodes: 'n3' is the fourth node of the main graph, 'n3/body.0/n1' the second of the graph in its attribute "body",
// 'n3/()/n1' the second of the function that it calls. 'in:x' and 'out:y' are the model's own inputs and outputs.
import type {
  FunctionDescription,
  GraphDescription,
  ModelDescription,
  NodeDescription,
  TensorDescription,
} from '../../../web/src/tools/types.js';

/** What a box with nodes holds: a graph, or a function's body. */
export interface Body {
  /** What its keys begin with. */
  readonly prefix: string;
  readonly nodes: readonly NodeDescription[];
  readonly graph: GraphDescription | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

export const keyOf = (prefix: string, index: number): string => `${prefix}n${index}`;

export function graphBody(graph: GraphDescription, prefix: string): Body {
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  return { prefix, nodes: graph.nodes, graph, inputs: names(graph.inputs), outputs: names(graph.outputs) };
}

export function functionOf(model: ModelDescription, node: NodeDescription): FunctionDescription | undefined {
  return model.functions.find(
    ({ name, domain, overload }) =>
      name === node.opType && domain === node.domain && (overload ?? '') === (node.overload ?? ''),
  );
}

/** The graphs in the node's attributes, and the body of the function that it calls. */
export function bodiesOf(model: ModelDescription, node: NodeDescription, key: string): Body[] {
  const bodies = node.attributes.flatMap(({ name, type, value }) => {
    if (type !== 'graph' && type !== 'graphs') return [];
    const graphs = (type === 'graphs' ? value : [value]) as readonly (GraphDescription | null)[];
    return graphs.flatMap((graph, i) => (graph ? [graphBody(graph, `${key}/${name}.${i}/`)] : []));
  });
  const called = model.functions.length > 0 ? functionOf(model, node) : undefined;
  if (called) {
    const { nodes, inputs, outputs } = called;
    bodies.push({ prefix: `${key}/()/`, nodes, graph: undefined, inputs, outputs });
  }
  return bodies;
}

function graphsOf({ attributes }: NodeDescription): GraphDescription[] {
  return attributes.flatMap(({ type, value }) => {
    if (type !== 'graph' && type !== 'graphs') return [];
    return (type === 'graphs' ? value : [value]) as GraphDescription[];
  });
}

/** The values that the graphs in the node's attributes take from around it. */
export function capturesOf(node: NodeDescription): Set<string> {
  const taken = new Set<string>();
  for (const graph of graphsOf(node)) {
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    const own = new Set([...names(graph.inputs), ...names(graph.initializers)]);
    for (const inner of graph.nodes) for (const name of inner.outputs) own.add(name);
    const used = graph.nodes.flatMap((inner) => [...inner.inputs, ...capturesOf(inner)]);
    for (const name of [...used, ...names(graph.outputs)]) if (name && !own.has(name)) taken.add(name);
  }
  return taken;
}

/** The keys of the boxes around the node, the outermost first. */
export function aroundKeys(key: string): string[] {
  const parts = key.split('/');
  return parts.slice(0, -1).flatMap((part, i) => (/^n\d+$/.test(part) ? [parts.slice(0, i + 1).join('/')] : []));
}

/** The constants of a body by name: initializers, and what Constant nodes give. */
export function constantsOf(body: Body): Map<string, TensorDescription> {
  const found = new Map(body.graph?.initializers.map((tensor) => [tensor.name, tensor]));
  for (const { opType, domain, attributes, outputs } of body.nodes) {
    if (opType !== 'Constant' || domain !== '') continue;
    const value = attributes.find(({ name, type }) => name === 'value' && type === 'tensor')?.value;
    if (value) found.set(outputs[0], value as TensorDescription);
  }
  return found;
}

/** A Constant node is shown as a line of the boxes that take its value. */
export const isFoldedAway = (
  node: NodeDescription,
  constants: ReadonlyMap<string, unknown>,
  outputs: readonly string[],
): boolean => node.opType === 'Constant' && constants.has(node.outputs[0]) && !outputs.includes(node.outputs[0]);
