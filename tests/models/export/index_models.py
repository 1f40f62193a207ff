"""Index reads and writes, and outputs of several shapes: dictionaries, tuples, lists."""

import torch
from torch import nn


class Reads(nn.Module):
    def forward(self, x, i):
        return (x[-1], x[:, -2], x[1:, ::2], x[i], x[:, i], x[i, i], x[..., -3:-1], x[None, :, 0], x[[0, 2]],
                torch.index_select(x, 1, i), torch.gather(x[:, :, 0], 1, i[None, :].expand(4, -1)))


class BooleanReads(nn.Module):
    def forward(self, x):
        return x[x > 0.25], x[x.sum(1) > 0], torch.nonzero(x > 0.5), torch.masked_select(x, x < 0)


class NegativeIndices(nn.Module):
    """Tensors of indices, some of them negative, beside slices and with broadcasting."""

    def forward(self, x, i, j):
        return x[i, j], x[i, :, j], x[:, i, j], x[i[:, None], j[None, :]], x[i, ..., None, j]


class NegativeIndex(nn.Module):
    def forward(self, x, i):
        return x[i], x[:, i], x[..., i], x[-1:, -2], x[:-1, -3:]


class Writes(nn.Module):
    def forward(self, x, y):
        x = x.clone()
        x[0] = 1.5
        x[-1, 1:3] = y[:2]
        x[:, -1] = y[-1]
        x[1:3, ::2] = x[0:2, ::2] * 2
        return x


class TensorWrites(nn.Module):
    def forward(self, x, i, j, v):
        a = x.clone()
        a[i, j] = v
        b = x.clone()
        b[i] = v[:, None].expand(3, 5)
        c = x.clone()
        c.index_put_((i, j), v, accumulate=True)
        return a, b, c


class BooleanWrites(nn.Module):
    def forward(self, x):
        x = x.clone()
        x[x > 0.25] = 0.0
        return x, x.masked_fill(x < 0, -1.0), torch.where(x < -0.5, x * x, x)


class Scatters(nn.Module):
    def forward(self, x, i, v):
        return x.scatter(1, i, v), x.scatter_add(1, i, v), x.index_add(0, i[0], x[: i.size(1)])


class Dictionary(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        y = self.head(x)
        return {'logits': y, 'probabilities': y.softmax(-1), 'best': y.argmax(-1)}


class Nested(nn.Module):
    def forward(self, x, y):
        return x + y, [x - y, (x * y, x.mean(-1))], x.max(-1)


class Lists(nn.Module):
    def forward(self, x):
        return list(torch.split(x, 2, 1)) + list(torch.chunk(x, 2, 0)) + list(x.unbind(0))
