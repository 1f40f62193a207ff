// The tensors of held.ts, loaded by sessions that have some.
import { kDispose } from './dispose.js';
import { arrayOf, dtypeName } from './dtypes.js';
import type { LocalEngine } from './engine.js';
import { invalidArgument } from './errors.js';
import { kPlace, type Place } from './held.js';
import type { NativeHeld, NativeTensor } from './native.js';
import { sizeOf, Tensor } from './tensor.js';

type Data = Tensor.DataType;

const forgotten = new FinalizationRegistry<Place>(({ engine, native }) => {
  try {
    engine.drop(native.held);
  } catch {
    // Its heap is lost, and the tensor with it.
  }
});

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
