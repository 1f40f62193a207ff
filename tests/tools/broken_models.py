# What onnx.checker's full check says of the broken models of the tests. By hand, in a venv with onnx:
#   node tests/js/broken_models.mjs FOLDER
#   python tests/tools/broken_models.py FOLDER
import pathlib
import sys

import onnx

found = 0
paths = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
for path in paths:
    try:
        onnx.checker.check_model(str(path), full_check=True)
        print(f"{path.stem}\tnothing")
    except Exception as error:  # checker, inference and file errors are of several kinds
        found += 1
        print(path.stem, type(error).__name__, " ".join(str(error).split())[:160], sep="\t")
print(f"{found} of {len(paths)} models are faulty to onnx {onnx.__version__}")
