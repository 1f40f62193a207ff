// The bytes of all WebAssembly memories of this process or page: to be called before any of them is made.

/** @returns {() => number} gives the sum of their sizes; memories never shrink, so at the end it is the peak */
export function watchWasmMemories() {
  const { Memory, Instance, instantiate, instantiateStreaming } = WebAssembly;
  const found = new Set();
  const take = (instance) => {
    for (const value of Object.values(instance.exports)) if (value instanceof Memory) found.add(value);
  };
  WebAssembly.Memory = class extends Memory {
    constructor(...args) {
      super(...args);
      found.add(this);
    }
  };
  WebAssembly.Instance = class extends Instance {
    constructor(...args) {
      super(...args);
      take(this);
    }
  };
  const watched =
    (make) =>
    async (...args) => {
      const result = await make.apply(WebAssembly, args);
      take(result instanceof Instance ? result : result.instance);
      return result;
    };
  WebAssembly.instantiate = watched(instantiate);
  if (instantiateStreaming) WebAssembly.instantiateStreaming = watched(instantiateStreaming);
  return () => [...found].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}
