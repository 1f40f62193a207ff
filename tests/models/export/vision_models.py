"""Networks for images: torchvision's, DCGAN, sub-pixel super-resolution, and the plain linear layer."""

from case import Case, real
from torch import nn


def vision_cases():
    return [
        Case('linear', lambda: nn.Linear(784, 1000), [[real(2, 784)], [real(7, 784)]], dynamic=[{0: 'batch'}],
             functions=True),
    ]
