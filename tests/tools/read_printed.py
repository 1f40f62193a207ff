# Reads what print() writes with onnx.parser, and compares the models field by field. By hand, in a venv with onnx:
#   node tests/tools/write_all.mjs print OUT FOLDER...
#   python tests/tools/read_printed.py OUT FOLDER...
# Models whose own text, by onnx.printer, onnx.parser does not read either are counted apart.
import collections
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper, parser, printer


def name_of(path):
    return f'{path.parent.name}.{path.name}' if path.name == 'model.onnx' else path.name


def tensor(t):
    if t.data_location == onnx.TensorProto.EXTERNAL:
        return 'external'
    array = numpy_helper.to_array(t)
    kept = array.tolist() if array.dtype == object else array.tobytes()
    return (t.name, t.data_type, tuple(t.dims), str(kept) if array.dtype == object else kept)


def attribute(a):
    if a.type == onnx.AttributeProto.TENSOR:
        return (a.name, tensor(a.t))
    if a.type == onnx.AttributeProto.GRAPH:
        return (a.name, graph(a.g))
    if a.type == onnx.AttributeProto.FLOAT:
        return (a.name, np.float32(a.f).tobytes())
    if a.type == onnx.AttributeProto.FLOATS:
        return (a.name, np.array(a.floats, np.float32).tobytes())
    copy = onnx.AttributeProto()
    copy.CopyFrom(a)
    copy.ClearField('doc_string')
    return copy.SerializeToString(deterministic=True)


def node(n):
    return (n.op_type, n.domain, list(n.input), list(n.output), sorted((attribute(a) for a in n.attribute), key=str))


def value(v):
    return (v.name, v.type.SerializeToString(deterministic=True))


def graph(g):
    return (
        [node(n) for n in g.node], [value(v) for v in g.input], [value(v) for v in g.output], [tensor(t) for t in g.initializer],
    )


def first_difference(a, b):
    for what, x, y in zip(('nodes', 'inputs', 'outputs', 'initializers'), graph(a.graph), graph(b.graph)):
        if x != y:
            pairs = [(p, q) for p, q in zip(x, y) if p != q]
            return f'{what}: {str(pairs[0])[:300] if pairs else f"{len(x)} and {len(y)}"}'
    return ''


def main():
    out, *folders = sys.argv[1:]
    counts = collections.Counter()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob('*.onnx')):
            text_path = pathlib.Path(out) / f'{name_of(path)}.txt'
            if not text_path.exists():
                counts['not printed'] += 1
                continue
            model = onnx.load(path, load_external_data=False)
            text = text_path.read_text(encoding='utf-8', errors='surrogateescape')
            try:
                back = parser.parse_model(text)
            except Exception as error:
                try:
                    parser.parse_model(printer.to_text(model))
                except Exception:
                    counts["not read, nor onnx.printer's text"] += 1
                else:
                    counts['not read'] += 1
                    print(f'{name_of(path)}: {str(error)[:300]}')
                continue
            difference = first_difference(model, back)
            counts['different' if difference else 'read back the same'] += 1
            if difference:
                print(f'{name_of(path)}: {difference}')
    print(dict(counts))


if __name__ == '__main__':
    main()
