// Symbol.dispose, also where the engine does not know it yet (then under its name in the global registry).

export const kDispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
