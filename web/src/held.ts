// Tensors whose elements stay in the heap of the session that made them: fed to it again, they are not copied, and as
// targets they are written in place where the operator can. Only engines in this thread have them.

import { kDispose } from './dispose.js';
import { arrayOf, dtypeName } from './dtypes.js';
import type { LocalEngine } from './engine.js';
import { invalidArgument } from './errors.js';
import type { NativeHeld, NativeTensor, NativeValue } from './native.js';
import { sizeOf, Tensor } from './tensor.js';

// A property, not a WeakMap: frameworks wrap objects in proxies.
const kPlace = Symbol('place');
interface Place {
  readonly engine: LocalEngine;
  readonly native: NativeHeld;
}
type Data = Tensor.DataType;

const forgotten = new FinalizationRegistry<Place>(({ engine, native }) => {
  try {
    engine.drop(native.held);
  } catch {
    // Its heap is lost, and the tensor with it.
  }
});

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

/** The tensor that a result is, which `engine` holds. */
export function heldTensor(engine: LocalEngine, native: NativeHeld): Tensor {
  const type = dtypeName(native.dtype) as Tensor.Type;
  let place: Place | undefined = { engine, native };
  const tensor = Object.create(Tensor.prototype) as Tensor;
  const read = (): Data => {
    if (!place) throw invalidArgument('the tensor is disposed');
    const { data } = engine.read(native.held) as NativeTensor & { data: Uint8Array };
    const array = arrayOf(type) as NonNullable<ReturnType<typeof arrayOf>>;
    return new array(data.buffer, data.byteOffset, data.byteLength / array.BYTES_PER_ELEMENT) as Data;
  };
  const dispose = (): void => {
    if (place) engine.drop(native.held);
    place = undefined;
    forgotten.unregister(tensor);
  };
  const getData = async (release = false): Promise<Data> => {
    const data = read();
    if (release) dispose();
    return data;
  };
  Object.defineProperties(tensor, {
    type: { value: type, enumerable: true },
    dims: { value: native.dims, enumerable: true, writable: true },
    size: { value: sizeOf(native.dims), enumerable: true },
    data: { get: read },
    location: { get: () => (place ? 'cpu-pinned' : 'none') },
    getData: { value: getData },
    dispose: { value: dispose },
    [kDispose]: { value: dispose },
    [kPlace]: { get: () => place },
  });
  forgotten.register(tensor, place, tensor);
  return tensor;
}
