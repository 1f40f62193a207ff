# Runs models by the onnx package's reference evaluator: python reference.py FOLDER reads jobs.json there, writes results.json.
import base64
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

np.seterr(all='ignore')


def decode(kind, text):
    data = base64.b64decode(text)
    if kind == 1:
        return numpy_helper.to_array(onnx.TensorProto.FromString(data))
    return [numpy_helper.to_array(t) for t in onnx.SequenceProto.FromString(data).tensor_values]


def encode(value):
    if value is None:
        return [0, '']
    if isinstance(value, list):
        tensors = [numpy_helper.from_array(np.asarray(v)) for v in value]
        message = onnx.SequenceProto(elem_type=1, tensor_values=tensors)
        return [2, base64.b64encode(message.SerializeToString()).decode()]
    return [1, base64.b64encode(tensor_of(np.asarray(value)).SerializeToString()).decode()]


def tensor_of(array):
    if array.dtype.kind in 'UTO':
        return onnx.helper.make_tensor('', onnx.TensorProto.STRING, array.shape, [str(s).encode() for s in array.flatten()])
    return numpy_helper.from_array(array)


def run(job):
    model = onnx.ModelProto.FromString(base64.b64decode(job['model']))
    values = [decode(kind, text) for kind, text in job['inputs'] if kind]
    feeds = {info.name: value for info, value in zip(model.graph.input, values)}
    return [encode(v) for v in ReferenceEvaluator(model).run(None, feeds)]


folder = pathlib.Path(sys.argv[1])
results = []
for job in json.loads((folder / 'jobs.json').read_text()):
    try:
        results.append({'outputs': run(job)})
    except Exception as error:  # whatever it lacks
        results.append({'error': f'{type(error).__name__}: {error}'})
(folder / 'results.json').write_text(json.dumps(results))
