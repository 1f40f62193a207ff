# Writes src/tools/operators.txt, the standard's operators as check needs them, from the onnx package. By hand:
#   python tests/tools/make_schemas.py > src/tools/operators.txt
import onnx.defs as defs
from onnx import TensorProto

kTypes = {name.lower(): number for name, number in TensorProto.DataType.items() if number}
kAttributes = {
    "FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I", "STRINGS": "S",
    "TENSORS": "T", "GRAPHS": "G", "SPARSE_TENSOR": "p", "SPARSE_TENSORS": "P", "TYPE_PROTO": "y", "TYPE_PROTOS": "Y",
}  # fmt: skip


def code(text):
    for outer, letter in [("tensor(", ""), ("seq(", "s"), ("optional(", "o"), ("sparse_tensor(", "p")]:
        if text.startswith(outer):
            inner = text[len(outer) : -1]
            return letter + (str(kTypes[inner]) if inner in kTypes else code(inner))
    if text.startswith("map("):
        key, value = text[4:-1].split(",", 1)
        value = value.strip()
        return f"m{kTypes[key]}:{kTypes[value] if value in kTypes else code(value)}"
    raise ValueError(text)


kSets = {}


def type_set(types):
    text = ",".join(sorted((code(t) for t in types), key=lambda t: (len(t), t)))
    return kSets.setdefault(text, f"#{len(kSets)}")


def name(option):
    return str(option).rsplit(".", 1)[-1]


def ports(list_of):
    out = []
    for p in list_of:
        mark = {"Single": "", "Optional": "?", "Variadic": "*" if p.is_homogeneous else "~"}[name(p.option)]
        low = str(p.min_arity) if mark in ("*", "~") else ""
        out.append(f"{p.name.replace(' ', '_')}{mark}{low}:{p.type_str.replace(' ', '')}")
    return " ".join(out)


lines = []
for s in sorted(defs.get_all_schemas_with_history(), key=lambda s: (s.domain, s.name, s.since_version)):
    constraints = {c.type_param_str: type_set(c.allowed_type_strs) for c in s.type_constraints}
    used = {p.type_str for p in [*s.inputs, *s.outputs]} - set(constraints)
    for text in sorted(used):
        constraints[text.replace(" ", "")] = type_set([text.replace(" ", "").replace(",", ", ")])
    attributes = [
        f"{a.name}:{kAttributes[name(a.type)]}{'!' if a.required else ''}" for a in sorted(s.attributes.values(), key=lambda a: a.name)
    ]
    full = f"{s.domain}.{s.name}" if s.domain else s.name
    flags = "deprecated" if s.deprecated else ""
    types = " ".join(f"{k}={v}" for k, v in sorted(constraints.items()))
    lines.append("|".join([f"{full} {s.since_version}", ports(s.inputs), ports(s.outputs), types, " ".join(attributes), flags]))

print("// The standard's operators: sets of types, then name, version | inputs | outputs | types | attributes | flags.")
print("// Made by tests/tools/make_schemas.py; src/tools/schemas.h says what the marks mean.")
for text, label in kSets.items():
    print(f"{label} {text}")
print("\n".join(lines))
