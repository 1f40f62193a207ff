"""Writes networks as torch.onnx exports them, with seeded random weights, to measure other models than those that are
tuned: `pip install torch torchvision onnx`, `python bench/make/torch_models.py FOLDER [NAME...]`, then
`npm run bench -- --part runs --model FOLDER/swin_t.onnx --model ...`. Run by hand; nothing of it is committed.
"""

import sys
from pathlib import Path

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

IMAGES = """mobilenet_v3_large mobilenet_v3_small efficientnet_b0 efficientnet_v2_s mnasnet1_0 regnet_x_400mf
regnet_y_400mf resnext50_32x4d wide_resnet50_2 convnext_tiny swin_t swin_v2_t vit_b_32 maxvit_t shufflenet_v2_x1_0
resnet18 densenet121""".split()
SEGMENTATION = ["deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large", "fcn_resnet50"]


def conv(i, o, k=3, stride=1, act=nn.ReLU):
    return nn.Sequential(nn.Conv2d(i, o, k, stride, k // 2, bias=False), nn.BatchNorm2d(o), act())


class FirstOutput(nn.Module):
    """A segmentation network without its dictionary."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)["out"]


class Detector(nn.Module):
    """After YOLOv8's backbone and one of its heads."""

    class Block(nn.Module):
        def __init__(self, i, o, n):
            super().__init__()
            half = o // 2
            self.first = conv(i, o, 1, act=nn.SiLU)
            self.steps = nn.ModuleList(
                nn.Sequential(conv(half, half, act=nn.SiLU), conv(half, half, act=nn.SiLU)) for _ in range(n)
            )
            self.last = conv(half * (n + 2), o, 1, act=nn.SiLU)

        def forward(self, x):
            parts = list(self.first(x).chunk(2, 1))
            for step in self.steps:
                parts.append(parts[-1] + step(parts[-1]))
            return self.last(torch.cat(parts, 1))

    def __init__(self):
        super().__init__()
        layers, i = [conv(3, 16, 3, 2, nn.SiLU)], 16
        for o, n in ((32, 1), (64, 2), (128, 2), (256, 1)):
            layers += [conv(i, o, 3, 2, nn.SiLU), self.Block(o, o, n)]
            i = o
        self.body = nn.Sequential(*layers)
        self.squeeze, self.spread = conv(256, 128, 1, act=nn.SiLU), conv(512, 256, 1, act=nn.SiLU)
        self.head = nn.Sequential(conv(256, 64, act=nn.SiLU), nn.Conv2d(64, 144, 1))

    def forward(self, x):
        pools = [self.squeeze(self.body(x))]
        for _ in range(3):
            pools.append(F.max_pool2d(pools[-1], 5, 1, 2))
        box, score = self.head(self.spread(torch.cat(pools, 1))).flatten(2).split((64, 80), 1)
        box = box.view(1, 4, 16, -1).transpose(1, 2).softmax(1) * torch.arange(16.0).view(1, 16, 1, 1)
        return torch.cat([box.sum(1), score.sigmoid()], 1)


class UNet(nn.Module):
    def __init__(self, c=32):
        super().__init__()
        pair = lambda i, o: nn.Sequential(conv(i, o), conv(o, o))
        self.down = nn.ModuleList([pair(3, c), pair(c, 2 * c), pair(2 * c, 4 * c), pair(4 * c, 8 * c)])
        self.middle = pair(8 * c, 16 * c)
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * k * c, k * c, 2, 2) for k in (8, 4, 2, 1))
        self.after = nn.ModuleList(pair(2 * k * c, k * c) for k in (8, 4, 2, 1))
        self.last = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        kept = []
        for down in self.down:
            kept.append(down(x))
            x = F.max_pool2d(kept[-1], 2)
        x = self.middle(x)
        for up, after in zip(self.up, self.after):
            x = after(torch.cat([up(x), kept.pop()], 1))
        return self.last(x).sigmoid()


class StyleTransfer(nn.Module):
    def __init__(self):
        super().__init__()
        step = lambda i, o, k, stride=1: nn.Sequential(
            nn.ReflectionPad2d(k // 2), nn.Conv2d(i, o, k, stride), nn.InstanceNorm2d(o, affine=True)
        )
        self.down = nn.Sequential(step(3, 32, 9), nn.ReLU(), step(32, 64, 3, 2), nn.ReLU(), step(64, 128, 3, 2))
        self.same = nn.ModuleList(nn.Sequential(step(128, 128, 3), nn.ReLU(), step(128, 128, 3)) for _ in range(5))
        twice = lambda: nn.Upsample(scale_factor=2)
        self.up = nn.Sequential(
            twice(), step(128, 64, 3), nn.ReLU(), twice(), step(64, 32, 3), nn.ReLU(), step(32, 3, 9)
        )

    def forward(self, x):
        x = self.down(x).relu()
        for same in self.same:
            x = x + same(x)
        return self.up(x)


class Tagger(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.words, self.last = nn.Embedding(1000, 128), nn.Linear(512, 20)
        self.net = kind(128, 256, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.last(self.net(self.words(x))[0]).log_softmax(-1)


class Separator(nn.Module):
    """After Conv-TasNet."""

    def __init__(self, c=128):
        super().__init__()
        block = lambda d: nn.Sequential(
            *(nn.Conv1d(c, 4 * c, 1), nn.PReLU(), nn.GroupNorm(1, 4 * c)),
            *(nn.Conv1d(4 * c, 4 * c, 3, padding=d, dilation=d, groups=4 * c), nn.PReLU(), nn.GroupNorm(1, 4 * c)),
            nn.Conv1d(4 * c, c, 1),
        )
        self.encode, self.decode = nn.Conv1d(1, 64, 16, 8), nn.ConvTranspose1d(64, 1, 16, 8)
        self.first, self.mask = nn.Conv1d(64, c, 1), nn.Conv1d(c, 64, 1)
        self.blocks = nn.ModuleList(block(2 ** (i % 6)) for i in range(8))

    def forward(self, x):
        sound = self.encode(x).relu()
        y = self.first(sound)
        for block in self.blocks:
            y = y + block(y)
        return self.decode(sound * self.mask(y).sigmoid())


class Vocoder(nn.Module):
    """After HiFi-GAN's generator."""

    def __init__(self, c=128):
        super().__init__()
        self.first = nn.Conv1d(80, c, 7, padding=3)
        self.up, self.same = nn.ModuleList(), nn.ModuleList()
        for rate, k in ((8, 16), (8, 16), (4, 8)):
            self.up.append(nn.ConvTranspose1d(c, c // 2, k, rate, (k - rate) // 2))
            c //= 2
            layer = lambda k, d: nn.Conv1d(c, c, k, padding=(k - 1) // 2 * d, dilation=d)
            self.same.append(nn.ModuleList(nn.ModuleList(layer(k, d) for d in (1, 3, 5)) for k in (3, 7, 11)))
        self.last = nn.Conv1d(c, 1, 7, padding=3)

    def forward(self, x):
        x = self.first(x)
        for up, same in zip(self.up, self.same):
            x = up(F.leaky_relu(x, 0.1))
            parts = []
            for branch in same:
                y = x
                for layer in branch:
                    y = y + layer(F.leaky_relu(y, 0.1))
                parts.append(y)
            x = sum(parts) / 3
        return self.last(F.leaky_relu(x)).tanh()


class SpeechEncoder(nn.Module):
    """After wav2vec 2.0."""

    def __init__(self):
        super().__init__()
        layers, i = [], 1
        for o, k, stride in [(256, 10, 5)] + [(256, 3, 2)] * 4 + [(256, 2, 2)] * 2:
            layers += [nn.Conv1d(i, o, k, stride, bias=False), nn.GELU()]
            i = o
        self.sound = nn.Sequential(*layers)
        self.places = nn.Conv1d(256, 256, 128, padding=64, groups=16)
        layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, activation="gelu", dropout=0)
        self.encoder, self.last = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), nn.Linear(256, 32)

    def forward(self, x):
        x = self.sound(x.unsqueeze(1))
        x = x + F.gelu(self.places(x)[..., :-1])
        return self.last(self.encoder(x.transpose(1, 2)))


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Transformer(256, 4, 3, 3, 1024, batch_first=True, dropout=0)
        self.words, self.last = nn.Embedding(4000, 256), nn.Linear(256, 4000)

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.last(self.net(self.words(source), self.words(target), tgt_mask=mask))


def networks():
    """name -> (how to make it, its inputs)"""
    image = lambda size=224: (torch.randn(1, 3, size, size),)
    words = lambda n, most=1000: torch.randint(0, most, (1, n))
    all_of = {}
    for name in IMAGES:
        all_of[name] = (lambda name=name: getattr(torchvision.models, name)(weights=None), image())
    for name in SEGMENTATION:
        make = getattr(torchvision.models.segmentation, name)
        all_of[name] = (lambda make=make: FirstOutput(make(weights=None, weights_backbone=None)), image())
    detection = torchvision.models.detection.ssdlite320_mobilenet_v3_large
    all_of["ssdlite"] = (lambda: detection(weights=None, weights_backbone=None), (torch.rand(1, 3, 320, 320),))
    all_of["r3d_18"] = (lambda: torchvision.models.video.r3d_18(weights=None), (torch.randn(1, 3, 8, 64, 64),))
    all_of["detector"] = (Detector, image(640))
    all_of["unet"] = (UNet, image(256))
    all_of["style"] = (StyleTransfer, image())
    all_of["bilstm_tagger"] = (lambda: Tagger(nn.LSTM), (words(64),))
    all_of["bigru_tagger"] = (lambda: Tagger(nn.GRU), (words(64),))
    all_of["separator"] = (Separator, (torch.randn(1, 1, 16000),))
    all_of["vocoder"] = (Vocoder, (torch.randn(1, 80, 50),))
    all_of["speech_encoder"] = (SpeechEncoder, (torch.randn(1, 16000),))
    all_of["translator"] = (Translator, (words(40, 4000), words(30, 4000)))
    return all_of


def main(folder, names):
    torch.backends.mha.set_fastpath_enabled(False)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (make, inputs) in networks().items():
        if names and name not in names:
            continue
        torch.manual_seed(0)
        net = make().eval()
        for layer in net.modules():
            if isinstance(layer, nn.modules.batchnorm._BatchNorm):
                layer.running_mean.normal_(0, 0.1)
                layer.running_var.uniform_(0.5, 1.5)
        torch.onnx.export(net, inputs, str(folder / f"{name}.onnx"), opset_version=17, dynamo=False)
        print(name)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), set(sys.argv[2:]))
