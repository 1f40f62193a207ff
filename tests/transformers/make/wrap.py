# The networks of `transformers` as modules with the inputs and outputs that Transformers.js gives and reads.
import torch
from transformers import DynamicCache, EncoderDecoderCache


class Named(torch.nn.Module):
    """forward(*inputs) calls the network by keyword and returns the named fields of its answer."""

    def __init__(self, network, inputs, outputs):
        super().__init__()
        self.network, self.inputs, self.outputs = network, inputs, outputs

    def forward(self, *values):
        answer = self.network(**dict(zip(self.inputs, values)))
        return tuple(answer[name] for name in self.outputs)


def pairs(flat):
    return [(flat[2 * i], flat[2 * i + 1]) for i in range(len(flat) // 2)]


def flat(layers):
    return tuple(t for layer in layers for t in (layer.keys, layer.values))


class Decoder(torch.nn.Module):
    """A decoder-only network; the cache goes in and out as tensors [batch, heads, past, size]."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids, attention_mask, position_ids, *past):
        answer = self.network(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=DynamicCache(pairs(past)),
            use_cache=True,
        )
        return (answer.logits, *flat(answer.past_key_values.layers))


class SpeechDecoder(torch.nn.Module):
    """Whisper's decoder. Without a past it makes the encoder's keys and values; with one it passes them on."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids, encoder_hidden_states, *past):
        half = len(past) // 2
        own, cross = DynamicCache(pairs(past[:half])), DynamicCache(pairs(past[half:]))
        cache = EncoderDecoderCache(own, cross)
        answer = self.network(
            decoder_input_ids=input_ids,
            encoder_outputs=(encoder_hidden_states,),
            past_key_values=cache,
            use_cache=True,
        )
        cache = answer.past_key_values
        own = flat(cache.self_attention_cache.layers)
        return (answer.logits, *own, *(() if past else flat(cache.cross_attention_cache.layers)))
