# Counts nodes before and after onnxsim, for the table of docs/TOOLS.md. By hand, in a venv with onnx and onnxsim:
#   python tests/tools/onnxsim_counts.py FOLDER... > counts.tsv
import pathlib
import sys

import onnx
import onnxsim


def nodes(graph):
    total = 0
    for node in graph.node:
        total += 1
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else list(attribute.graphs):
                total += nodes(inner)
    return total


for folder in sys.argv[1:]:
    for path in sorted(pathlib.Path(folder).glob("*.onnx")):
        try:
            model = onnx.load(path)
            simple, same = onnxsim.simplify(model)
            before = nodes(model.graph)
            print(path.name, before, nodes(simple.graph), "same" if same else "differs", sep="\t", flush=True)
        except Exception as error:  # whatever it throws is the result
            print(path.name, "-", "-", str(error).splitlines()[0][:80] if str(error) else type(error).__name__, sep="\t", flush=True)
