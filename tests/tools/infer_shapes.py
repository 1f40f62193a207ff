# What onnx.shape_inference says of models' values, held against what ours says. By hand, in a venv with onnx:
#   node tests/tools/write_all.mjs infer OUT FOLDER...    # our inference: OUT/NAME.onnx, of models in folders and below
#   python tests/tools/infer_shapes.py OUT FOLDER...      # counts, and every value of which ours says less or otherwise
#   python tests/tools/infer_shapes.py --write FILE FOLDER...   # the reference of tests/js/tools_infer.test.mjs
import json
import pathlib
import re
import sys

import onnx
from onnx import shape_inference

# One export of each of these cases is in the reference.
SMALL = re.compile(r'(tracing1[47]|dynamo18)\.onnx$')


def text(type_proto):
    """float32[n,3] as 1:n|3; 1 where there is no shape; s1:... for sequences; '' where nothing is known."""
    kind = type_proto.WhichOneof('value')
    if kind == 'sequence_type':
        return 's' + text(type_proto.sequence_type.elem_type)
    if kind == 'optional_type':
        return 'o' + text(type_proto.optional_type.elem_type)
    if kind != 'tensor_type':
        return ''
    tensor = type_proto.tensor_type
    if not tensor.elem_type:
        return ''
    if not tensor.HasField('shape'):
        return str(tensor.elem_type)
    dims = [str(d.dim_value) if d.HasField('dim_value') else d.dim_param or '?' for d in tensor.shape.dim]
    return f'{tensor.elem_type}:{"|".join(dims)}'


def types(model):
    graph = model.graph
    made = {name for node in graph.node for name in node.output}
    return {v.name: text(v.type) for v in [*graph.value_info, *graph.output] if v.name in made and text(v.type)}


def inferred(path):
    model = onnx.load(path)
    del model.graph.value_info[:]
    try:
        return types(shape_inference.infer_shapes(model, strict_mode=True, data_prop=True))
    except Exception as error:  # its own limits
        print(f'{path.name}: onnx: {str(error).splitlines()[0][:100]}', file=sys.stderr)
        return types(shape_inference.infer_shapes(model, data_prop=True))


def verdict(ours, theirs):
    """same, more (ours knows more), less, or other."""
    if ours == theirs:
        return 'same'
    if not theirs:
        return 'more'
    if not ours:
        return 'less'
    (our_type, _, our_dims), (their_type, _, their_dims) = ours.partition(':'), theirs.partition(':')
    if our_type != their_type:
        return 'other'
    if ':' not in theirs:
        return 'more'
    if ':' not in ours:
        return 'less'
    a, b = [t.split('|') if t else [] for t in (our_dims, their_dims)]
    if len(a) != len(b):
        return 'other'
    results = set()
    for x, y in zip(a, b):
        made_up = y.startswith('unk__')  # onnx names what it does not know
        if x == y or (made_up and x == '?'):
            continue
        if x.isdigit() and y.isdigit():
            return 'other'
        results.add('more' if y == '?' or made_up or x.isdigit() else 'less')
    return 'less' if 'less' in results else 'more' if results else 'same'


def models_in(folders):
    for folder in folders:
        yield from sorted(pathlib.Path(folder).rglob('*.onnx'))


def name_of(path):
    return f'{path.parent.name}.{path.name}' if path.name == 'model.onnx' else path.name


def main():
    out, *folders = sys.argv[1:]
    if out == '--write':
        file, *folders = folders
        reference = {p.name: inferred(p) for p in models_in(folders) if SMALL.search(p.name)}
        pathlib.Path(file).write_text(json.dumps(reference, separators=(',', ':')) + '\n')
        return
    totals = {}
    for path in models_in(folders):
        ours_path = pathlib.Path(out) / name_of(path)
        if not ours_path.exists():
            print(f'{name_of(path)}: no inference of ours')
            continue
        try:
            theirs = inferred(path)
        except Exception as error:
            print(f'{path}: {str(error)[:80]}')
            continue
        ours = types(onnx.load(ours_path))
        counts = {}
        for value in sorted(set(ours) | set(theirs)):
            result = verdict(ours.get(value, ''), theirs.get(value, ''))
            counts[result] = counts.get(result, 0) + 1
            if result in ('less', 'other'):
                print(f'{name_of(path)}: {value}: {result}: {ours.get(value)} / {theirs[value]}')
        for key, count in counts.items():
            totals[key] = totals.get(key, 0) + count
    print(totals)


if __name__ == '__main__':
    main()
