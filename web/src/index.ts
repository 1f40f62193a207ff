// The package: its names, each by itself and, as programs for onnxruntime-web may ask for them, all in one default.
export * from './names.js';
export * as default from './names.js';
