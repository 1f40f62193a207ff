# Writes data/decode_fixtures.json with the onnx and numpy packages: messages of every element type in both encodings, and
# their values as onnx itself reads them. By hand: python3 tests/conformance/make_fixtures.py
import base64
import json
import pathlib

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.onnx_data_pb2 import MapProto, OptionalProto, SequenceProto


def b64(message):
    return base64.b64encode(message.SerializeToString()).decode()


def plain(v):
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, (str, bool)):
        return v if isinstance(v, str) else int(v)
    if isinstance(v, (int, np.integer)):
        return str(int(v))  # beyond 2^53 too
    v = float(v)
    return v if np.isfinite(v) else repr(v)


def values_of(message):
    a = numpy_helper.to_array(message)
    if np.iscomplexobj(a):
        return [plain(x) for z in a.ravel() for x in (z.real, z.imag)]
    integer = a.dtype.kind in "iu" or "int" in a.dtype.name
    return [plain(int(v)) if integer else plain(v) for v in a.ravel()]


def sample(name, dtype, n):
    r = np.random.default_rng(7)
    if name == "STRING":
        return np.array(["", "a", "Straße", "日本", "x" * 40][:n], dtype=object)
    if name == "BOOL":
        return r.integers(0, 2, n).astype(bool)
    if name.startswith(("INT", "UINT")):
        bits = int(name.lstrip("UINT"))
        low, high = (0, 2**bits - 1) if name[0] == "U" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        middle = [low + (high - low) // k for k in range(2, n)]
        return np.array([low, high, *middle][:n], dtype=dtype if bits >= 8 else np.int64).astype(dtype)
    if name.startswith("COMPLEX"):
        return (r.normal(size=n) + 1j * r.normal(size=n)).astype(dtype)
    return r.normal(size=n).astype(np.float32).astype(dtype)


tensors = []
for name, number in TensorProto.DataType.items():
    if not 0 < number <= TensorProto.INT2:  # later types are not in IR 13
        continue
    dtype = helper.tensor_dtype_to_np_dtype(number)
    array = sample(name, dtype, 5)
    raw = numpy_helper.from_array(array.reshape(5, 1))
    typed = TensorProto(data_type=number, dims=[5])
    if name == "STRING":
        typed.string_data.extend([s.encode() for s in array])
    elif name.startswith("COMPLEX"):
        field = typed.float_data if name == "COMPLEX64" else typed.double_data
        field.extend([x for z in array for x in (z.real, z.imag)])
    elif name in ("FLOAT", "DOUBLE"):
        (typed.float_data if name == "FLOAT" else typed.double_data).extend(array.tolist())
    elif name == "INT64":
        typed.int64_data.extend(array.tolist())
    elif name in ("UINT32", "UINT64"):
        typed.uint64_data.extend(array.tolist())
    else:
        width = {"UINT16": np.uint16, "FLOAT16": np.uint16, "BFLOAT16": np.uint16, "INT16": np.int16, "INT32": np.int32, "INT8": np.int8}
        typed.int32_data.extend(np.frombuffer(raw.raw_data, width.get(name, np.uint8)).tolist())
    assert name == "STRING" or values_of(raw) == values_of(typed), name
    for message in (raw, typed):
        tensors.append({"name": name, "message": b64(message), "dims": list(message.dims), "values": values_of(message)})

tables = {}
for name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn"):
    codes = np.arange(16 if name.startswith("float4") else 256, dtype=np.uint8)
    table = codes.view(getattr(ml_dtypes, name)).astype(np.float32)
    tables[name] = base64.b64encode(table.tobytes()).decode()

one = numpy_helper.from_array(np.array([1.5, 2.5], np.float32))
two = numpy_helper.from_array(np.array([[7]], np.int64))
sequence = SequenceProto(elem_type=SequenceProto.TENSOR, tensor_values=[one, two])
messages = {
    "sequence": b64(sequence),
    "nested": b64(SequenceProto(elem_type=SequenceProto.SEQUENCE, sequence_values=[sequence, SequenceProto(elem_type=1)])),
    "optional": b64(OptionalProto(elem_type=OptionalProto.TENSOR, tensor_value=one)),
    "optional_sequence": b64(OptionalProto(elem_type=OptionalProto.SEQUENCE, sequence_value=sequence)),
    "empty_optional": b64(OptionalProto(elem_type=OptionalProto.TENSOR)),
    "maps": b64(
        SequenceProto(
            elem_type=SequenceProto.MAP,
            map_values=[
                MapProto(key_type=TensorProto.INT64, keys=[3, -4], values=sequence),
                MapProto(key_type=TensorProto.STRING, string_keys=[b"a", b"b"], values=sequence),
            ],
        )
    ),
}
out = pathlib.Path(__file__).parent / "data" / "decode_fixtures.json"
out.write_text(json.dumps({"tensors": tensors, "tables": tables, "messages": messages}, indent=0) + "\n")
print(onnx.__version__, out.stat().st_size, "bytes")
