// The bytes of all WebAssembly memories of this process or page: to be called before any of them is made.

/** @returns {() => number} gives the sum of their sizes; memories never shrink, so at the end it is the peak */
export function watchWasmMemories() {
  const { Memory, Instance, instantiate, instantiateStreaming } = WebAssembly;
  const found = new Set();
  const take = (instance) => {
    for (const value of Object.values(instance.exports)) if (value instanceof Memory) found.add(value);
  };
  // Proxies, not subclasses: what an engine makes by itself must stay an `instanceof` these.
  const constructing = (target, made) =>
    new Proxy(target, {
      construct(_target, args) {
        const object = new target(...args);
        made(object);
        return object;
      },
    });
  WebAssembly.Memory = constructing(Memory, (memory) => found.add(memory));
  WebAssembly.Instance = constructing(Instance, take);
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
