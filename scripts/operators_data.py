# Writes docs/operators.json, from which scripts/operators.mjs makes docs/OPERATORS.md, by hand when the standard or the
# peer changes: python operators_data.py SUITE PEER_RESULTS.json (needs the package onnx, whose schemas are the source).
# Then format it: node scripts/format.mjs
import collections
import json
import pathlib
import sys

import onnx
from onnx import defs

SUITE, PEER = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
GROUPS = [
    ('floats', 'float16 bfloat16 float double'),
    ('integers', 'int8 int16 int32 int64 uint8 uint16 uint32 uint64'),
    ('float8', 'float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz'),
    ('4 and 2 bits', 'int4 uint4 float4e2m1 int2 uint2'),
    ('complex', 'complex64 complex128'),
]


def types_of(schema):
    """The element types of all inputs and outputs whose type may vary, in few words."""
    texts = {t for c in schema.type_constraints for t in c.allowed_type_strs}
    plain = {t[7:-1] for t in texts if t.startswith('tensor(')}
    words = []
    for name, members in GROUPS:
        members = set(members.split())
        if members <= plain:
            words.append(name)
            plain -= members
    words += sorted(plain)
    for kind in ('seq', 'optional', 'map'):
        if any(t.startswith(kind + '(') for t in texts):
            words.append({'seq': 'sequences', 'optional': 'optionals', 'map': 'maps'}[kind])
    return ', '.join(words)


def key(domain, name):
    return f'{domain}.{name}' if domain else name


peer = collections.defaultdict(lambda: [0, 0])  # cases, failures
for case, problem in PEER.items():
    if case.startswith('light/'):
        continue  # whole networks
    path = SUITE / case / 'model.onnx'
    nodes = {key(n.domain, n.op_type) for n in onnx.load(path, load_external_data=False).graph.node}
    for op in nodes:
        # A case with several operators says little about one of them.
        if len(nodes) == 1:
            peer[op][0] += 1
            peer[op][1] += problem != ''

data = {}
for schema in defs.get_all_schemas_with_history():
    if schema.domain not in ('', 'ai.onnx.ml', 'ai.onnx.preview.training'):
        continue
    entry = data.setdefault(key(schema.domain, schema.name), {'newest': 0, 'types': ''})
    if schema.since_version > entry['newest'] and not (schema.deprecated and entry['types']):
        entry['newest'], entry['types'] = schema.since_version, types_of(schema)
for name, entry in data.items():
    if name in peer:
        entry['peer'] = peer[name]
root = pathlib.Path(__file__).parent.parent
lines = [f'  {json.dumps(name)}: {json.dumps(data[name])}' for name in sorted(data)]
(root / 'docs/operators.json').write_text('{\n' + ',\n'.join(lines) + '\n}\n')
