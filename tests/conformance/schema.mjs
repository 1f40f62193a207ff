// ONNX's messages for JavaScript tests, from the project's proto/onnx.proto; fields keep ONNX's own names.
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

const root = new protobuf.Root();
const files = [process.env.SARDONYX_PROTO ?? new URL('../../proto/onnx.proto', import.meta.url)];
for (const file of [...files, new URL('values.proto', import.meta.url)]) {
  protobuf.parse(readFileSync(file, 'utf8'), root, { keepCase: true });
}
root.resolveAll();

export const ModelProto = root.lookupType('ModelProto');
export const TensorProto = root.lookupType('TensorProto');
export const SequenceProto = root.lookupType('SequenceProto');
export const OptionalProto = root.lookupType('OptionalProto');

/** Was this field in the message? (An absent one reads as its default.) */
export const has = (message, field) => Object.hasOwn(message, field);
