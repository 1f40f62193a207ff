// The cases [task, model, dtype]; models as make/make_models.py names them.

/** Of the models in models/, tiny ones that are committed (gzipped). */
export const kCommitted = [
  ['feature-extraction', 'bert', 'q8'],
  ['feature-extraction', 'bert', 'uint8'],
  ['text-classification', 'classifier', 'q8'],
  ['token-classification', 'tagger', 'q8'],
  ['text-generation', 'llama', 'q8'],
  ['text-generation', 'llama', 'q4'],
  ['text-generation', 'llama-built', 'q4'],
  ['interrupt', 'llama-built', 'q4'],
  ['text-generation', 'gpt2', 'q8'],
  ['automatic-speech-recognition', 'whisper', 'fp32'],
  ['image-classification', 'vit', 'q8'],
  ['zero-shot-image-classification', 'clip', 'q8'],
];

const kBoth = ['fp32', 'q8'];
/** Of the larger ones. */
export const kReal = [
  ['feature-extraction', 'minilm', [...kBoth, 'uint8']],
  ['similarity', 'minilm', kBoth],
  ['text-classification', 'classifier', kBoth],
  ['token-classification', 'tagger', kBoth],
  ['text-generation', 'llama', [...kBoth, 'q4']],
  ['text-generation', 'llama-built', ['fp32', 'q4']],
  ['interrupt', 'llama-built', ['q4']],
  ['text-generation', 'gpt2', [...kBoth, 'q4']],
  ['automatic-speech-recognition', 'whisper', kBoth],
  ['image-classification', 'vit', kBoth],
  ['zero-shot-image-classification', 'clip', kBoth],
].flatMap(([task, model, types]) => types.map((dtype) => [task, model, dtype]));

export const fileOf = { fp32: '', q8: '_quantized', uint8: '_uint8', q4: '_q4' };
