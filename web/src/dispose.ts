// Symbol.dispose, also where the engine does not know it yet (then under its name in the global registry).
/// <reference lib="esnext.disposable" preserve="true" />

export const kDispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
