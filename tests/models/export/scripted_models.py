"""Scripted models: branches and loops that depend on data, kept by torch.jit.script."""

import torch
from torch import Tensor, nn


class If(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.b = nn.Linear(4, 3)

    def forward(self, x):
        if bool(x.sum() > 0):
            y = self.a(x)
        else:
            y = self.b(x) - 1.0
        return y


class IfShapes(nn.Module):
    """Branches whose results have different shapes, nested, one of them by the size of the input."""

    def forward(self, x, flag: Tensor):
        if bool(flag):
            if x.size(0) > 2:
                y = x[0:2] * 2.0
            else:
                y = torch.cat([x, x], 0)
        else:
            y = torch.relu(x)
        return y, y.sum(0)


class For(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(4, 4)

    def forward(self, x, count: Tensor):
        y = x
        for i in range(int(count)):
            y = torch.tanh(self.cell(y)) + float(i)
        return y


class ForAppend(nn.Module):
    """A list that grows in a loop, then stacked."""

    def forward(self, x):
        rows = []
        total = torch.zeros_like(x[0])
        for i in range(x.size(0)):
            total = total + x[i]
            rows.append(total * 0.5)
        return torch.stack(rows)


class While(nn.Module):
    def forward(self, x, limit: Tensor):
        y = x
        steps = torch.zeros([1], dtype=torch.int64)
        while bool(y.abs().sum() < limit[0]):
            y = y * 1.5 + 0.1
            steps = steps + 1
        return y, steps


class WhileIf(nn.Module):
    """Loops in loops with a branch inside."""

    def forward(self, x, count: Tensor):
        y = x
        i = 0
        while i < int(count):
            for j in range(2):
                if bool(y.sum() > 1.0):
                    y = y - 0.3
                else:
                    y = y + 0.5 * float(j + 1)
            i += 1
        return y


class ForBreak(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x[0])
        for i in range(x.size(0)):
            if bool(x[i].sum() < -0.5):
                break
            y = y + x[i]
        return y
