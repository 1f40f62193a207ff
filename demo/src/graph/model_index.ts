// All nodes of a model in one list, and who makes and who takes each value.
import type {
  ModelDescription,
  NodeDescription,
  TensorDescription,
  TypeDescription,
} from '../../../web/src/tools/types.js';
import { type Body, bodiesOf, capturesOf, constantsOf, graphBody, keyOf } from './keys.js';
import type { ScopeTypes } from './scope_types.js';

export interface Entry {
  readonly key: string;
  readonly node: NodeDescription;
  readonly scope: Scope;
}

/** The values of one body; names that it does not know are those of the body around it. */
export class Scope {
  readonly body: Body;
  readonly outer: Scope | undefined;
  readonly constants: Map<string, TensorDescription>;
  readonly #types: Map<string, TypeDescription>;
  readonly #makers = new Map<string, string>();
  readonly #takers = new Map<string, string[]>();

  constructor(body: Body, outer: Scope | undefined, inferred: ReadonlyMap<string, TypeDescription> | undefined) {
    this.body = body;
    this.outer = outer;
    this.constants = constantsOf(body);
    const { graph } = body;
    this.#types = new Map(inferred);
    for (const { name, type } of [...(graph?.values ?? []), ...(graph?.inputs ?? []), ...(graph?.outputs ?? [])]) {
      if (type && !this.#types.has(name)) this.#types.set(name, type);
    }
    for (const name of body.inputs) this.#makers.set(name, `${body.prefix}in:${name}`);
    for (const node of body.nodes) {
      const key = keyOf(body.prefix, node.index);
      for (const name of node.outputs) if (name) this.#makers.set(name, key);
      for (const name of new Set([...node.inputs, ...capturesOf(node)])) this.#take(name, key);
    }
    for (const name of body.outputs) this.#take(name, `${body.prefix}out:${name}`);
  }

  #take(name: string, key: string): void {
    const takers = this.#takers.get(name);
    if (takers) takers.push(key);
    else if (name) this.#takers.set(name, [key]);
  }

  typeOf(name: string): TypeDescription | undefined {
    return this.#types.get(name) ?? this.outer?.typeOf(name);
  }

  maker(name: string): string | undefined {
    return this.#makers.get(name) ?? this.outer?.maker(name);
  }

  makerHere(name: string): string | undefined {
    return this.#makers.get(name);
  }

  takers(name: string): readonly string[] {
    return this.#takers.get(name) ?? [];
  }

  constant(name: string): TensorDescription | undefined {
    return this.constants.get(name) ?? this.outer?.constant(name);
  }
}

export class ModelIndex {
  readonly entries: Entry[] = [];
  readonly main: Scope;
  readonly #byKey = new Map<string, Entry>();
  readonly #scopes = new Map<string, Scope>();
  readonly #ports = new Set<string>();
  #named: Map<string, Entry> | undefined;
  readonly #makers = new Map<string, string>();

  /** `types`: of values, as far as they are inferred. */
  constructor(
    model: ModelDescription,
    private readonly types?: ScopeTypes,
  ) {
    const body = graphBody(model.graph, '');
    this.main = this.#add(model, body, undefined, 0);
    for (const name of body.inputs) this.#ports.add(`in:${name}`);
    for (const name of body.outputs) this.#ports.add(`out:${name}`);
    for (const { key, node } of this.entries) {
      for (const name of node.outputs) if (name && !this.#makers.has(name)) this.#makers.set(name, key);
    }
  }

  #add(model: ModelDescription, body: Body, outer: Scope | undefined, depth: number): Scope {
    const scope = new Scope(body, outer, this.types?.get(body.prefix));
    this.#scopes.set(body.prefix, scope);
    for (const node of body.nodes) {
      const entry = { key: keyOf(body.prefix, node.index), node, scope };
      this.entries.push(entry);
      this.#byKey.set(entry.key, entry);
      if (depth > 16 || this.entries.length > 500_000) continue;
      for (const inner of bodiesOf(model, node, entry.key)) this.#add(model, inner, scope, depth + 1);
    }
    return scope;
  }

  /** Is there such a node, or such an input or output of the model? */
  has(key: string): boolean {
    return this.#byKey.has(key) || this.#ports.has(key);
  }

  /** The node that makes a value of this name, in the main graph before others. */
  makerAnywhere(name: string): string | undefined {
    return this.main.makerHere(name) ?? this.#makers.get(name);
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  /** The scope that a key lies in. */
  scopeOf(key: string): Scope {
    return this.#scopes.get(key.slice(0, key.lastIndexOf('/') + 1)) ?? this.main;
  }

  /** The first node of this name; nodes without one are called by the value that they make, as the engine calls them. */
  named(name: string): Entry | undefined {
    this.#named ??= new Map(this.entries.toReversed().map((entry) => [entry.node.name, entry]));
    const maker = this.makerAnywhere(name);
    return (name !== '' && this.#named.get(name)) || (maker === undefined ? undefined : this.get(maker));
  }
}

export function typeText(type: TypeDescription | null | undefined): string {
  if (!type) return '';
  if ('shape' in type) {
    return `${type.dtype}${type.shape ? `[${type.shape.map((d) => d ?? '?').join(', ')}]` : ''}`;
  }
  if (type.kind === 'map') return `map(${type.key}, ${typeText(type.element)})`;
  return `${type.kind}(${typeText(type.element)})`;
}
