"""One small model for each group of layers and functions that exporters write as many nodes."""

import torch
import torchvision
from case import given, real
from torch import nn
from torch.nn import functional as F


class Function(nn.Module):
    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, *inputs):
        return self.call(*inputs)


def resizing(x):
    return (
        F.interpolate(x, scale_factor=2, mode='nearest'), F.interpolate(x, size=(9, 5), mode='bilinear'),
        F.interpolate(x, size=(9, 11), mode='bilinear', align_corners=True),
        F.interpolate(x, scale_factor=(1.5, 2.0), mode='bicubic'),
    )


def padding(x):
    return (
        F.pad(x, (1, 2, 3, 0)), F.pad(x, (1, 2, 3, 1), mode='reflect'), F.pad(x, (2, 1, 0, 2), mode='replicate'),
        F.pad(x, (-1, 2, 0, -2), value=0.5),
    )


def pooling(x):
    return (
        F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, 2, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1),
        F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1),
        F.adaptive_avg_pool2d(x, (3, 2)), F.lp_pool2d(x, 2, 2),
    )


def sorting(x):
    values, order = x.sort(-1, descending=True)
    return values, order, *torch.topk(x, 3, 1), *torch.topk(x, 2, 0, largest=False), x.argmin(1), x.cumsum(1)


def statistics(x):
    return (
        x.std(1), x.var(0, unbiased=False), x.norm(dim=1), x.norm(p=1, dim=0), x.logsumexp(1), x.prod(1), x.amax(0),
        torch.std_mean(x, 1)[1], F.normalize(x, dim=1), F.cosine_similarity(x, x.flip(0), dim=1), (x > 0).any(1), (x > -0.9).all(1),
    )


def activations(x):
    names = ['celu', 'elu', 'gelu', 'hardsigmoid', 'hardswish', 'hardtanh', 'leaky_relu', 'logsigmoid', 'mish', 'relu6',
             'selu', 'silu', 'softplus', 'softsign', 'tanhshrink', 'softshrink', 'hardshrink']
    return [getattr(F, name)(x * 3) for name in names] + [F.gelu(x, approximate='tanh'), F.glu(x, 1), F.softmin(x, 1)]


def arithmetic(x, y, n):
    return (
        torch.fmod(x, y), torch.remainder(x, y), torch.floor_divide(n, 3), n % 3, -n // 2, torch.remainder(-n, 4),
        x.round(), x.sign(), torch.clamp(x, -0.2, 0.4), torch.clamp(n, min=1), torch.lerp(x, y, 0.3), torch.atan2(x, y),
        torch.addmm(x[:, :3], x, y.T[:, :3]), n.float() / 2, (n > 1) & (x[0, 0] > -2), n.bitwise_and(1), x.trunc(), x.frac(),
    )


def shapes(x):
    return (
        x.roll(1, 1), x.flip(0, 2), x.repeat(1, 2, 1), x.tile(2, 1, 1), x.unfold(2, 3, 2), x.movedim(0, 2), x.triu(1),
        torch.meshgrid(x[0, 0], x[0, :, 0], indexing='ij')[1], x.repeat_interleave(2, 1), torch.stack([x, -x], -1),
        x.view(x.size(0), -1), torch.einsum('bij,bkj->bik', x, x), torch.einsum('bij,bj->i', x, x[:, 0]), x.diagonal(0, 1, 2),
        torch.full_like(x, 2.0), torch.arange(x.size(1)) * 2, torch.linspace(0, 1, 5), x.new_ones(x.shape[:2]),
        F.one_hot(x[:, 0, 0].gt(0).long(), 3), torch.tril(torch.ones(x.size(1), x.size(2))),
    )


def halves(x):
    half = x.half()
    return (half @ half.T).float(), (half * 2 + half.exp()).float(), x.bfloat16().sigmoid().float(), half.softmax(1).float()


def sampling(x, grid):
    return (
        F.grid_sample(x, grid, align_corners=False), F.grid_sample(x, grid, 'nearest', 'border', align_corners=True),
        F.grid_sample(x, grid, padding_mode='reflection', align_corners=False),
        F.grid_sample(x, F.affine_grid(grid[:, :2, :3, 0], [2, 2, 5, 5], align_corners=False), align_corners=False),
    )


def regions(x, boxes, scores):
    rows = torch.cat([torch.zeros(4, 1), boxes], 1)
    return (torchvision.ops.roi_align(x, rows, (3, 3), 0.5, 2, aligned=True), torchvision.ops.nms(boxes, scores, 0.4),
            torchvision.ops.roi_align(x, rows, 2), torchvision.ops.box_iou(boxes, boxes))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Conv2d(4, 6, 3, padding='same', dilation=2), nn.Conv2d(4, 8, 3, 2, 1, groups=4), nn.Conv2d(4, 4, (1, 3)),
            nn.Conv2d(4, 4, 3, padding=1, padding_mode='reflect'), nn.Conv2d(4, 4, 3, padding=1, padding_mode='circular'),
            nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), nn.ConvTranspose2d(4, 2, 4, 3, 2, dilation=2),
        ])
        self.flat = nn.ModuleList([nn.Conv1d(8, 3, 5, 2, 2), nn.ConvTranspose1d(8, 2, 3, 2)])
        self.deep = nn.ModuleList([nn.Conv3d(2, 3, 2, padding=1), nn.MaxPool3d(2), nn.AvgPool3d(2)])

    def forward(self, x):
        flat, deep = x.reshape(2, 8, -1), x.reshape(2, 2, 2, 8, 9)
        return ([layer(x) for layer in self.layers] + [layer(flat) for layer in self.flat]
                + [layer(deep) for layer in self.deep])


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm([8, 9]), nn.LayerNorm(9, 1e-3),
            nn.RMSNorm(9), nn.LocalResponseNorm(3), nn.PReLU(4), nn.BatchNorm2d(4), nn.Softmax2d(),
        ])

    def forward(self, x):
        return [layer(x) for layer in self.layers]


def layer_cases(case):
    """`case(name, make, runs, **options)` makes the cases."""
    image, rows = real(2, 4, 8, 9), real(4, 6)
    boxes = given([[0, 0, 4, 4], [0.5, 0, 4, 4.5], [2, 3, 7, 8], [5, 1, 8, 4]], 'float32')
    counts = given([0, 1, 2, 5, 7])
    functions = {
        'activations': (activations, [rows]), 'arithmetic': (arithmetic, [rows, rows, counts]), 'halves': (halves, [rows]),
        'padding': (padding, [image]), 'pooling': (pooling, [image]), 'resizing': (resizing, [image]),
        'shapes': (shapes, [real(2, 3, 7)]), 'sorting': (sorting, [rows]), 'statistics': (statistics, [rows]),
        'regions': (regions, [real(1, 2, 8, 8), boxes, given([0.9, 0.8, 0.7, 0.75], 'float32')]),
        'sampling': (sampling, [real(2, 2, 6, 7), real(2, 4, 5, 2)]),
    }
    layers = [('convolutions', Convolutions, [[image]]), ('norms', Norms, [[image]])]
    layers += [(name, lambda f=call: Function(f), [run]) for name, (call, run) in functions.items()]
    return [case(f'layers_{name}', make, runs, tracing=(9, 11, 16, 20), dynamo=(18, 25)) for name, make, runs in layers]
