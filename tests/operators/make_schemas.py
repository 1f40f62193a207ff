# Writes reference/schemas.json by hand when the standard changes: python make_schemas.py (needs the package onnx).
# Operator -> versions {since, gone, least, most: counts of inputs, types: of each input (an index into `sets`, -1 where
# it is not a tensor), attributes: name -> type}. `sets` are lists of element types, in this project's names.
import json
import pathlib

from onnx import defs

NAMES = {'float': 'float32', 'double': 'float64'}
sets = []


def set_of(allowed):
    names = sorted(NAMES.get(t[7:-1], t[7:-1]) for t in allowed if t.startswith('tensor('))
    if not names:
        return -1
    if names not in sets:
        sets.append(names)
    return sets.index(names)


def types_of(schema, parameters):
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    return [set_of(constraints.get(p.type_str, [p.type_str])) for p in parameters]


operators = {}
for schema in defs.get_all_schemas_with_history():
    if schema.domain not in ('', 'ai.onnx.ml', 'ai.onnx.preview.training'):
        continue
    variadic = any(p.option == defs.OpSchema.FormalParameterOption.Variadic for p in schema.inputs)
    operators.setdefault(f'{schema.domain}.{schema.name}' if schema.domain else schema.name, []).append(
        {
            'since': schema.since_version,
            'gone': schema.deprecated,
            'least': schema.min_input,
            'most': None if variadic else schema.max_input,
            'types': types_of(schema, schema.inputs),
            'outputs': len(schema.outputs),
            'attributes': {k: a.type.name for k, a in sorted(schema.attributes.items())},
        }
    )
for versions in operators.values():
    versions.sort(key=lambda v: v['since'])
out = pathlib.Path(__file__).parent / 'reference/schemas.json'
lines = [f'{json.dumps(k)}:{json.dumps(v, separators=(",", ":"))}' for k, v in sorted(operators.items())]
texts = ',\n'.join(json.dumps(s, separators=(',', ':')) for s in sets)
out.write_text('{"sets":[\n' + texts + '\n],"operators":{\n' + ',\n'.join(lines) + '\n}}\n')
