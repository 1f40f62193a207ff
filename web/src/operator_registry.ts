// Operators of the program, as the engine asks for them: apart from what makes them, which most programs never need.
import type { NativeOperator } from './native.js';

const registered = new Map<string, NativeOperator>();
const keyOf = (domain: string, name: string): string => `${domain === 'ai.onnx' ? '' : domain}:${name}`;

/** undefined takes it back. */
export function setOperator(domain: string, name: string, operator: NativeOperator | undefined): void {
  if (operator) registered.set(keyOf(domain, name), operator);
  else registered.delete(keyOf(domain, name));
}

/** What the engine asks for each node: undefined where the operator is none of the program's. */
export function findOperator(domain: string, name: string): NativeOperator | undefined {
  return registered.get(keyOf(domain, name));
}

/** Are there any? */
export const hasOperators = (): boolean => registered.size > 0;
