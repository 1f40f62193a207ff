// ONNX's messages for JavaScript tests, from the project's schema; fields keep ONNX's own names.
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

const root = new protobuf.Root();
for (const name of ['onnx.proto', 'onnx_data.proto']) {
  const text = readFileSync(new URL(`../../proto/${name}`, import.meta.url), 'utf8');
  protobuf.parse(text, root, { keepCase: true });
}
root.resolveAll();

export const ModelProto = root.lookupType('ModelProto');
export const TensorProto = root.lookupType('TensorProto');
export const SequenceProto = root.lookupType('SequenceProto');
export const OptionalProto = root.lookupType('OptionalProto');

/** Was this field in the message? (An absent one reads as its default.) */
export const has = (message, field) => Object.hasOwn(message, field);
