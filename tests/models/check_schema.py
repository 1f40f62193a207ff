"""Compares proto/*.proto with the messages of the python package onnx: python3 check_schema.py (needs protoc and onnx).

Messages that this project declares as bytes count as equal; nothing else may differ but what is newer than IR 13.
"""
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2
from onnx import onnx_data_pb2, onnx_ml_pb2

NEWER = {'FLOAT6E2M3', 'FLOAT6E3M2'}
BYTES, MESSAGE = 12, 11


def collect(files):
    """{full message name: {field name: (number, label, type, type name)}} and {enum: {value: number}}."""
    messages, enums = {}, {}

    def walk(prefix, message):
        name = prefix + message.name
        messages[name] = {
            f.name: (f.number, f.label, f.type, f.type_name.split('.', 1)[-1].removeprefix('onnx.').removeprefix(
                'sardonyx.pb.').removeprefix('pb.'), f.options.packed) for f in message.field
        }
        for e in message.enum_type:
            enums[f'{name}.{e.name}'] = {v.name: v.number for v in e.value if v.name not in NEWER}
        for m in message.nested_type:
            walk(name + '.', m)

    for file in files:
        for m in file.message_type:
            walk('', m)
    return messages, enums


def ours():
    folder = pathlib.Path(__file__).parents[2] / 'proto'
    with tempfile.NamedTemporaryFile() as out:
        names = sorted(p.name for p in folder.glob('*.proto'))
        subprocess.run(['protoc', '-I', folder, '-o', out.name, *names], check=True)
        return collect(descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes()).file)


def theirs():
    files = []
    for module in (onnx_ml_pb2, onnx_data_pb2):
        files.append(descriptor_pb2.FileDescriptorProto())
        module.DESCRIPTOR.CopyToProto(files[-1])
    return collect(files)


def main():
    (messages, enums), (known, known_enums) = ours(), theirs()
    problems = [f'{e}: {enums.get(e)} is not {v}' for e, v in known_enums.items() if enums.get(e) != v]
    for name, fields in known.items():
        mine = messages.get(name)
        if mine is None:
            problems.append(f'{name} is missing')
            continue
        for field in sorted(fields.keys() | mine.keys()):
            a, b = fields.get(field), mine.get(field)
            as_bytes = a and b and a[:2] == b[:2] and a[2] == MESSAGE and b[2] == BYTES
            if a != b and not as_bytes:
                problems.append(f'{name}.{field}: {b} is not {a}')
    print('\n'.join(problems) or f'{len(known)} messages and {len(known_enums)} enums agree')
    sys.exit(bool(problems))


main()
