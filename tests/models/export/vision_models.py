"""Networks for images: torchvision's, DCGAN, sub-pixel super-resolution, and the plain linear layer."""

from case import Case, real
from torch import nn
from torchvision import models

# The larger the files, the fewer the opsets.
BIG = {'tracing': (9, 13, 20), 'dynamo': (18, 25)}
HUGE = {'tracing': (9, 20), 'dynamo': (18, 25)}
SOME = {'tracing': (9, 11, 13, 17, 20), 'dynamo': (18, 21, 25)}


class SuperResolution(nn.Module):
    """Shi et al. 2016: convolutions at low resolution, then channels become pixels."""

    def __init__(self, factor=3):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 64, 5, padding=2), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
            nn.Conv2d(64, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, factor**2, 3, padding=1),
            nn.PixelShuffle(factor),
        )

    def forward(self, x):
        return self.body(x)


def generator(latent=100, width=64):
    layers, previous = [], latent
    for i, channels in enumerate([8 * width, 4 * width, 2 * width, width]):
        layers += [nn.ConvTranspose2d(previous, channels, 4, 1 + (i > 0), int(i > 0), bias=False),
                   nn.BatchNorm2d(channels), nn.ReLU(True)]
        previous = channels
    return nn.Sequential(*layers, nn.ConvTranspose2d(previous, 3, 4, 2, 1, bias=False), nn.Tanh())


def discriminator(width=64):
    layers, previous = [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)], width
    for channels in [2 * width, 4 * width, 8 * width]:
        layers += [nn.Conv2d(previous, channels, 4, 2, 1, bias=False), nn.BatchNorm2d(channels),
                   nn.LeakyReLU(0.2, inplace=True)]
        previous = channels
    return nn.Sequential(*layers, nn.Conv2d(previous, 1, 4, 1, 0, bias=False), nn.Sigmoid())


def torchvision_case(name, make, size=224, **options):
    options = {'warm': True, **SOME, 'dynamic': [{0: 'batch'}], **options}
    return Case(name, lambda: make(weights=None), [[real(2, 3, size, size)], [real(1, 3, size, size)]], **options)


def inception(weights):
    # The auxiliary head only exists for training.
    return models.inception_v3(weights=weights, aux_logits=False, init_weights=False)


def vision_cases():
    areas = [{0: 'batch', 2: 'height', 3: 'width'}]
    noise = [[real(2, 100, 1, 1)], [real(3, 100, 1, 1)]]
    return [
        Case('linear', lambda: nn.Linear(784, 1000), [[real(2, 784)], [real(7, 784)]], dynamic=[{0: 'batch'}],
             functions=True),
        Case('super_resolution', SuperResolution, [[real(1, 1, 56, 56)], [real(2, 1, 40, 30)]], dynamic=areas, **SOME),
        Case('dcgan_generator', generator, noise, warm=True, dynamic=[{0: 'batch'}], **SOME),
        Case('dcgan_discriminator', discriminator, [[real(2, 3, 64, 64)], [real(3, 3, 64, 64)]], warm=True,
             dynamic=[{0: 'batch'}], **SOME),
        torchvision_case('squeezenet1_1', models.squeezenet1_1, warm=False),
        torchvision_case('mobilenet_v2', models.mobilenet_v2),
        torchvision_case('mobilenet_v3_small', models.mobilenet_v3_small),
        torchvision_case('mobilenet_v3_large', models.mobilenet_v3_large),
        torchvision_case('shufflenet_v2_x1_0', models.shufflenet_v2_x1_0),
        torchvision_case('efficientnet_b0', models.efficientnet_b0),
        torchvision_case('resnet18', models.resnet18, 512, tracing=(9, 19, 20), dynamo=(18, 19, 25)),
        torchvision_case('densenet121', models.densenet121, **BIG),
        torchvision_case('inception_v3', inception, 299, **BIG),
        torchvision_case('alexnet', models.alexnet, warm=False, **BIG),
        torchvision_case('vgg11', models.vgg11, warm=False, **HUGE),
        torchvision_case('vgg19_bn', models.vgg19_bn, **HUGE),
        torchvision_case('vit_b_16', models.vit_b_16, warm=False, **{'tracing': (14, 20), 'dynamo': (18, 23)}),
    ]
