# Adds onnxruntime's own operators to reference/schemas.json, by hand after make_schemas.py: python make_contrib_schemas.py
# NAME... (needs the package onnxruntime). Names are those of com.microsoft, or of what models write in the standard's
# domain although the standard lacks it; none: those that are there already.
import json
import pathlib
import sys

from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

NAMES = {'float': 'float32', 'double': 'float64'}
path = pathlib.Path(__file__).parent / 'reference/schemas.json'
data = json.loads(path.read_text())
sets, operators = data['sets'], data['operators']


def set_of(allowed):
    names = sorted(NAMES.get(t[7:-1], t[7:-1]) for t in allowed if t.startswith('tensor('))
    if not names:
        return -1
    if names not in sets:
        sets.append(names)
    return sets.index(names)


def entry_of(schema):
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    variadic = any('Variadic' in str(p.option) for p in schema.inputs)
    return {
        'since': schema.since_version,
        'gone': False,
        'least': schema.min_input,
        'most': None if variadic else schema.max_input,
        'types': [set_of(constraints.get(p.typeStr, [p.typeStr])) for p in schema.inputs],
        'outputs': len(schema.outputs),
        'attributes': {k: str(a.type).split('.')[-1] for k, a in sorted(schema.attributes.items())},
    }


chosen = sys.argv[1:] or [n.removeprefix('com.microsoft.') for n in operators if n.startswith('com.microsoft.')]
for schema in get_all_operator_schema():
    standard = schema.domain == '' and schema.name == 'SimplifiedLayerNormalization'
    if schema.name in chosen and (schema.domain == 'com.microsoft' or standard):
        operators[schema.name if standard else f'com.microsoft.{schema.name}'] = [entry_of(schema)]
lines = [f'{json.dumps(k)}:{json.dumps(v, separators=(",", ":"))}' for k, v in sorted(operators.items())]
texts = ',\n'.join(json.dumps(s, separators=(',', ':')) for s in sets)
path.write_text('{"sets":[\n' + texts + '\n],"operators":{\n' + ',\n'.join(lines) + '\n}}\n')
