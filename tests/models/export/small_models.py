"""Models small enough to be committed, of every kind that PyTorch's users export."""

import torch
from case import Case, given, ints, real
from index_models import (
    BooleanReads, BooleanWrites, Dictionary, Lists, NegativeIndex, NegativeIndices, Nested, Reads, Scatters, TensorWrites, Writes,
)
from layer_models import layer_cases
from scripted_models import For, ForAppend, ForBreak, If, IfShapes, While, WhileIf
from torch import nn

# Versions at which what torch writes changes; files of all opsets would fill the repository with copies.
TRACING = (9, 10, 11, 13, 16, 18, 20)
DYNAMO = (18, 20, 21, 23, 25)


class Lenet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 12, 5)
        self.fc1 = nn.Linear(300, 24)
        self.fc2 = nn.Linear(24, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(nn.functional.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(nn.functional.relu(self.conv2(x)), 2)
        return nn.functional.log_softmax(self.fc2(nn.functional.relu(self.fc1(torch.flatten(x, 1)))), 1)


def two_convolutions():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 3, padding=1))


def case(name, make, runs, **options):
    return Case(name, make, runs, small=True, **{'tracing': TRACING, 'dynamo': DYNAMO, **options})


def small_cases():
    image_axes = [{0: 'batch', 2: 'height', 3: 'width'}]
    return [
        case('lenet', Lenet, [[real(2, 1, 32, 32)], [real(5, 1, 32, 32)]], dynamic=[{0: 'batch'}], functions=True,
             tracing=(9, 13, 20), dynamo=(18, 25)),
        case('two_convolutions', two_convolutions, [[real(2, 3, 16, 20)], [real(1, 3, 33, 7)]], dynamic=image_axes,
             functions=True),
        *scripted_cases(),
        *index_cases(),
        *layer_cases(case),
    ]


def scripted_cases():
    rows = [{0: 'rows'}]
    low, high = given([[-1.0, -2.0, 0.5, 0.25]], 'float32'), given([[1.0, 2.0, 0.5, -0.25]], 'float32')
    counts = [[real(2, 4), given(n)] for n in (3, 0, 5)]
    return [
        case('script_if', If, [[low], [high]], script=True),
        case('script_if_shapes', IfShapes,
             [[real(4, 3), given(True, 'bool')], [real(1, 3), given(True, 'bool')], [real(4, 3), given(False, 'bool')]],
             script=True, dynamic=[{0: 'rows'}, {}]),
        case('script_for', For, counts, script=True),
        case('script_for_append', ForAppend, [[real(3, 4)], [real(6, 4)]], script=True, dynamic=rows),
        case('script_for_break', ForBreak, [[real(3, 4)], [real(6, 4)]], script=True, dynamic=rows),
        case('script_while', While, [[real(2, 4), given([n], 'float32')] for n in (20.0, 1.0, 100.0)], script=True),
        case('script_while_if', WhileIf, counts, script=True),
    ]


def index_cases():
    x, i, j = real(4, 5, 6), given([2, 0, 3]), given([-1, 1, -3])
    flat = real(4, 6)
    return [
        case('index_reads', Reads, [[x, i]]),
        case('index_boolean_reads', BooleanReads, [[flat], [real(7, 6)]], dynamic=[{0: 'rows'}]),
        case('index_negative', NegativeIndex, [[x, j]]),
        # The tracing exporter flattens several indices and forgets the sign: its model is wrong in every runtime.
        case('index_negative_several', NegativeIndices, [[x, j, given([0, -2, 3])]], exporters=('dynamo',)),
        case('index_writes', Writes, [[real(4, 5), real(4)]]),
        case('index_tensor_writes', TensorWrites, [[real(4, 5), i, j, real(3)]]),
        case('index_boolean_writes', BooleanWrites, [[flat], [real(7, 6)]], dynamic=[{0: 'rows'}]),
        case('index_scatters', Scatters, [[real(4, 5), ints(4, 3, below=4), real(4, 3)]]),
        case('outputs_dictionary', Dictionary, [[real(3, 6)], [real(1, 6)]], dynamic=[{0: 'batch'}], functions=True),
        case('outputs_nested', Nested, [[real(3, 6), real(3, 6)]]),
        case('outputs_lists', Lists, [[real(4, 6)]]),
    ]
