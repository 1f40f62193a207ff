"""What a case is: a model, the inputs of its runs, and how it is exported."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

TRACING_OPSETS = tuple(range(9, 21))
DYNAMO_OPSETS = tuple(range(18, 26))


@dataclass
class Case:
    name: str
    make: Callable[[], torch.nn.Module]
    runs: list  # of lists of input specs; the first run's inputs are those that the exporters see
    dynamic: list | None = None  # per input {axis: name}
    fixed: tuple = ()  # exporters whose files are of the first run's shapes only: they lose the dynamic axes
    script: bool = False  # torch.jit.script, for what branches or loops on data; the newer exporter does not take it
    exporters: tuple = ('tracing', 'dynamo')
    tracing: tuple = TRACING_OPSETS
    dynamo: tuple = DYNAMO_OPSETS
    functions: bool = False  # once more from the newer exporter, its local functions left as they are
    small: bool = False  # its files are committed
    seed: int = 7
    warm: bool = False  # batch statistics from some training batches, so that the outputs keep a size worth comparing
    output_names: list | None = field(default=None)


def real(*dims, kind='u11'):
    """Uniform float32 in -1..1 (u11) or 0..1 (u01)."""
    return {'type': 'float32', 'dims': list(dims), 'kind': kind}


def ints(*dims, below):
    """int64 in 0..below-1."""
    return {'type': 'int64', 'dims': list(dims), 'kind': 'below', 'below': below}


def given(values, kind='int64'):
    """The values themselves: int64, bool or float32, flat in the file."""
    array = np.array(values, kind)
    return {'type': kind, 'dims': list(array.shape), 'kind': 'given', 'values': array.reshape(-1).tolist()}


def lcg(count, seed):
    """Numerical Recipes' generator as in tests/models/feeds.mjs: `count` numbers in 0..1, by doubling."""
    a, c = np.uint64(1664525), np.uint64(1013904223)
    mask = np.uint64(0xFFFFFFFF)
    states = np.array([(int(a) * seed + int(c)) & 0xFFFFFFFF], np.uint64)
    while states.size < count:
        states = np.concatenate([states, (states * a + c) & mask])
        a, c = (a * a) & mask, (a * c + c) & mask
    return states[:count].astype(np.float64) / 4294967296


def tensor_of(spec, index):
    """The tensor of an input spec; the same values as inputOf() in tests/models/exports.mjs makes."""
    kinds = {'float32': np.float32, 'int64': np.int64, 'bool': np.bool_}
    dtype = kinds[spec['type']]
    if spec['kind'] == 'given':
        return torch.from_numpy(np.array(spec['values'], dtype).reshape(spec['dims']))
    uniform = lcg(int(np.prod(spec['dims'])), 12345 + 7919 * index)
    values = {
        'u01': lambda: uniform,
        'u11': lambda: uniform * 2 - 1,
        'below': lambda: np.floor(uniform * spec['below']),
    }[spec['kind']]()
    return torch.from_numpy(values.astype(dtype).reshape(spec['dims']))


def inputs_of(run):
    return tuple(tensor_of(spec, index) for index, spec in enumerate(run))
