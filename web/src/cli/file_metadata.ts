// What a model's file says of itself, in the form of a session's metadata: for models that cannot be loaded.
import { stat } from 'node:fs/promises';
import type { InferenceSession } from '../index.js';
import {
  type AttributeValue,
  type GraphDescription,
  graph,
  type NodeDescription,
  type TensorDescription,
  type TypeDescription,
  type ValueDescription,
} from '../tools.js';

function typeText(type: TypeDescription | null): string {
  if (type === null) return 'value';
  if (type.kind === 'map') return `map of ${typeText(type.element)}`;
  if ('element' in type) return `${type.kind} of ${typeText(type.element)}`;
  const shape = type.shape ? `[${type.shape.map((dim) => dim ?? '?').join(', ')}]` : '';
  return `${type.dtype} tensor${shape}`;
}

function portOf({ name, type }: ValueDescription): InferenceSession.ValueMetadata {
  if (type?.kind !== 'tensor') return { name, isTensor: false, description: typeText(type) };
  const shape = (type.shape ?? []).map((dim) => dim ?? '');
  return { name, isTensor: true, type: type.dtype as InferenceSession.TensorValueMetadata['type'], shape };
}

const isGraph = (value: AttributeValue): value is GraphDescription =>
  typeof value === 'object' && value !== null && 'nodes' in value;
const isTensor = (value: AttributeValue): value is TensorDescription =>
  typeof value === 'object' && value !== null && 'dtype' in value && 'bytes' in value;
const elementsOf = ({ shape }: TensorDescription): number => shape.reduce((count, dim) => count * dim, 1);

/** Nodes by operator, without Constant, and elements of constants; subgraphs included. */
class Census {
  readonly operators: Record<string, number> = {};
  parameters = 0;

  graph({ initializers, nodes }: GraphDescription): void {
    for (const tensor of initializers) this.parameters += elementsOf(tensor);
    for (const node of nodes) this.node(node);
  }

  private node({ domain, opType, attributes }: NodeDescription): void {
    const isConstant = domain === '' && opType === 'Constant';
    const name = domain === '' ? opType : `${domain}.${opType}`;
    if (!isConstant) this.operators[name] = (this.operators[name] ?? 0) + 1;
    for (const { value } of attributes) {
      const values = Array.isArray(value) ? (value as AttributeValue[]) : [value];
      for (const each of values) {
        if (isGraph(each)) this.graph(each);
        else if (isConstant && isTensor(each)) this.parameters += elementsOf(each);
        else if (isConstant) this.parameters++;
      }
    }
  }
}

/** @throws OnnxError where the file is no model at all */
export async function describedByFile(path: string) {
  const model = await graph(path);
  const census = new Census();
  census.graph(model.graph);
  const { irVersion, producerName, producerVersion, domain, modelVersion, docString, metadata: custom } = model;
  const opsets = Object.fromEntries(Object.entries(model.opsets).map(([of, version]) => [of || 'ai.onnx', version]));
  const metadata: InferenceSession['metadata'] = {
    ...{ irVersion, producerName, producerVersion, domain, modelVersion, custom, opsets },
    ...{ description: docString, graphName: model.graph.name },
    ...{ operators: census.operators, parameters: census.parameters },
  };
  // A URL has no size that can be asked for.
  const { size = 0 } = (await stat(path).catch(() => undefined)) ?? {};
  const [inputs, outputs] = [model.graph.inputs, model.graph.outputs].map((ports) => ports.map(portOf));
  return { bytes: size, metadata, inputs: inputs ?? [], outputs: outputs ?? [] };
}
