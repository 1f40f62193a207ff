// The glue that Emscripten writes, as far as it is used.
export { default } from './sardonyx-simd.mjs';
