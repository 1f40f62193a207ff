// `import 'sardonyx/ort-backend'` makes Sardonyx the backend of onnxruntime-common's own classes, as 'sardonyx', 'wasm'
// and 'cpu'; sessions made with them run here.
import { type Backend, type InferenceSessionHandler, registerBackend } from 'onnxruntime-common';
import { InferenceSession } from './session.js';

const kPriority = 100;

const backend: Backend = {
  async init() {},
  async createInferenceSessionHandler(model, options): Promise<InferenceSessionHandler> {
    // The providers have been resolved: it is this one.
    const { executionProviders: _, ...rest } = options ?? {};
    const session = await InferenceSession.create(model, rest as InferenceSession.SessionOptions);
    return {
      inputNames: session.inputNames,
      outputNames: session.outputNames,
      inputMetadata: session.inputMetadata as InferenceSessionHandler['inputMetadata'],
      outputMetadata: session.outputMetadata as InferenceSessionHandler['outputMetadata'],
      startProfiling: () => session.startProfiling(),
      endProfiling: () => session.endProfiling(),
      dispose: () => session.release(),
      // Tensors of other classes are taken by their fields; the results become tensors of onnxruntime-common there.
      run: (feeds, fetches, runOptions) =>
        session.run(
          feeds as unknown as InferenceSession.OnnxValueMapType,
          fetches as unknown as InferenceSession.NullableOnnxValueMapType,
          runOptions as InferenceSession.RunOptions,
        ) as unknown as ReturnType<InferenceSessionHandler['run']>,
    };
  },
};

for (const name of ['sardonyx', 'wasm', 'cpu']) registerBackend(name, backend, kPriority);
