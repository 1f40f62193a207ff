"""Detectors: torchvision's with NMS inside, RT-DETR of transformers."""

import torch
from case import Case, inputs_of, real
from text_models import Named
from torch import nn
from torchvision.models import detection

SOME = {'tracing': (11, 13, 16, 20), 'dynamo': (18, 25)}


class OneImage(nn.Module):
    """torchvision's detectors take a list of images and give a dictionary for each; the classes' order is the score's."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        found = self.model([image])
        # The scripted call gives losses too.
        found = found[1] if isinstance(found, tuple) else found
        return tuple(found[0].values())


def image(height, width):
    return real(3, height, width, kind='u01')


def widen(model, *heads):
    """Wider weights in the heads, so that the scores differ: the order of the boxes has to be the same in every
    arithmetic."""
    torch.manual_seed(11)
    for name, module in model.named_modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)) and any(part in name for part in heads):
            nn.init.normal_(module.weight, std=(2.0 / module.weight[0].numel()) ** 0.5)


def spread(model, height, width, boxes=1.0):
    """Wider heads, and statistics from the run's image. boxes: scales what moves the boxes, for networks so deep that
    float32 itself is no longer near float64."""
    widen(model, 'cls', 'bbox', 'head.')
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if 'bbox' in name:
                parameter *= boxes
    images = model.transform(list(inputs_of([image(height, width)])))[0].tensors
    images = torch.cat([images, images.flip(2) * 0.8, images.flip(3) * 1.2])
    model.backbone.train()
    head = getattr(model, 'head', None)  # of single-shot detectors
    with torch.no_grad():
        for _ in range(20):
            features = list(model.backbone(images).values())
            if head is not None:
                head.train()(features)
    return OneImage(model)


# Image sizes whose scaled sides are far from an integer: torch and its exporters round the factor in different ways.
def faster_rcnn():
    return spread(detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5, box_detections_per_img=8, rpn_post_nms_top_n_test=60), 210, 247)


def mask_rcnn():
    return spread(detection.maskrcnn_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=160, max_size=224, box_detections_per_img=8,
        rpn_post_nms_top_n_test=40), 160, 200, boxes=0.05)


def ssd():
    return spread(detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5, detections_per_img=30, topk_candidates=60), 240, 320)


def rt_detr():
    from transformers import RTDetrConfig, RTDetrForObjectDetection, RTDetrResNetConfig

    backbone = RTDetrResNetConfig(embedding_size=32, hidden_sizes=[32, 64, 96, 128], depths=[2, 2, 2, 2],
                                  layer_type='basic', out_features=['stage2', 'stage3', 'stage4'])
    config = RTDetrConfig(
        backbone_config=backbone, encoder_hidden_dim=64, encoder_in_channels=[64, 96, 128], d_model=64,
        encoder_ffn_dim=128, encoder_attention_heads=4, decoder_in_channels=[64, 64, 64], decoder_layers=2,
        decoder_ffn_dim=128, decoder_attention_heads=4, num_queries=30, num_denoising=0, use_pretrained_backbone=False,
        num_labels=6, anchor_image_size=None)
    model = RTDetrForObjectDetection(config)
    widen(model, '')  # all of it: as it is initialised, activations vanish
    return Named(model, 'logits', 'pred_boxes')


def detection_cases():
    return [
        Case('faster_rcnn', faster_rcnn, [[image(210, 247)]], **SOME),
        Case('mask_rcnn', mask_rcnn, [[image(160, 200)]], **SOME),
        Case('ssdlite', ssd, [[image(240, 320)]], **SOME),
        Case('rt_detr', rt_detr, [[real(1, 3, 128, 128, kind='u01')]], warm=True, tracing=(16, 17, 20), dynamo=(18, 20, 25)),
    ]
