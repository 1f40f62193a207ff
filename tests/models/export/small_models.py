"""Models small enough to be committed, of every kind that PyTorch's users export."""

import torch
from case import Case, given, ints, real
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
    ]
