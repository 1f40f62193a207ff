// Tensors whose elements stay in the heap of the session that made them: fed to it again, they are not copied, and as
// targets they are written in place where the operator can. Only engines in this thread have them.
import type { LocalEngine } from './engine.js';
import { late } from './late.js';
import type { NativeHeld, NativeValue } from './native.js';
import type { Tensor } from './tensor.js';

// A property, not a WeakMap: frameworks wrap objects in proxies.
export const kPlace = Symbol('place');
export interface Place {
  readonly engine: LocalEngine;
  readonly native: NativeHeld;
}

type Make = (engine: LocalEngine, native: NativeHeld) => Tensor;
let made: Make | undefined;

/** Brings what makes them, without which no result may be held. */
export async function bringHeldTensors(): Promise<void> {
  made = (await late('held_tensor', () => import('./held_tensor.js'))).heldTensor;
}

/** The tensor that a result is, which `engine` holds. */
export const heldTensor: Make = (engine, native) => (made as Make)(engine, native);

function placeOf(value: unknown): Place | undefined {
  return (value as { [kPlace]?: Place } | null)?.[kPlace];
}

/** What the tensor is in this heap, or a copy of its bytes for another; undefined: it is not held, or disposed. */
export function heldIn(value: unknown, engine: unknown): NativeValue | undefined {
  const place = placeOf(value);
  if (!place) return undefined;
  const { dims } = value as Tensor;
  // Dimensions can be assigned: what the heap holds is then another tensor.
  const same = dims.length === place.native.dims.length && dims.every((dim, i) => dim === place.native.dims[i]);
  if (place.engine === engine && same) return place.native;
  return { ...place.engine.read(place.native.held), dims: [...dims] };
}
