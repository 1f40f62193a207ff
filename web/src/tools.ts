// sardonyx/tools: looks at models, checks, simplifies and changes them. A WebAssembly module of its own, fetched at the
// first call.
export * from './tools/index.js';
