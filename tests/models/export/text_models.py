"""Language models over a small vocabulary, recurrent and attentive, and layers of attention; BERT."""

import math

import torch
from case import Case, ints, real
from torch import nn

WORDS = 40
SOME = {'tracing': (9, 11, 13, 14, 17, 20), 'dynamo': (18, 20, 23, 25)}


class Recurrent(nn.Module):
    """Embedding, layers of RNN, LSTM or GRU with their states in and out, a word's scores."""

    def __init__(self, kind, bidirectional=False, batch_first=False, layers=2):
        super().__init__()
        size = 16
        self.embed = nn.Embedding(WORDS, size)
        self.layers = getattr(nn, kind)(size, size, layers, bidirectional=bidirectional, batch_first=batch_first)
        self.decode = nn.Linear(size * (1 + bidirectional), WORDS)

    def forward(self, words, state):
        y, after = self.layers(self.embed(words), state)
        return self.decode(y).log_softmax(-1), after


class RecurrentOfTwoStates(Recurrent):
    """The same for LSTM, each state an input."""

    def forward(self, words, hidden, cell):
        return super().forward(words, (hidden, cell))


class Attentive(nn.Module):
    """Embedding and places, encoder layers under a causal mask, a word's scores."""

    def __init__(self):
        super().__init__()
        size = 16
        self.embed = nn.Embedding(WORDS, size)
        place = torch.arange(64).unsqueeze(1) * torch.exp(torch.arange(0, size, 2) * (-math.log(1e4) / size))
        self.register_buffer('places', torch.stack([place.sin(), place.cos()], -1).reshape(64, 1, size))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(size, 4, 32, 0.1), 2)
        self.decode = nn.Linear(size, WORDS)

    def forward(self, words):
        n = words.size(0)
        mask = torch.full((n, n), -math.inf).triu(1)
        y = self.embed(words) * 4 + self.places[:n]
        return self.decode(self.encoder(y, mask, is_causal=False)).log_softmax(-1)


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Transformer(12, 3, 1, 1, 24, batch_first=True)

    def forward(self, source, target):
        mask = torch.full((target.size(1), target.size(1)), -math.inf).triu(1)
        return self.body(source, target, tgt_mask=mask, src_is_causal=False, tgt_is_causal=False)


def recurrent_case(name, kind, states=1, directions=1, batch_first=False, **options):
    def run(length, batch):
        words = (batch, length) if batch_first else (length, batch)
        return [ints(*words, below=WORDS)] + [real(2 * directions, batch, 16)] * states

    words = {0: 'batch', 1: 'length'} if batch_first else {0: 'length', 1: 'batch'}
    model = RecurrentOfTwoStates if kind == 'LSTM' else Recurrent
    return Case(name, lambda: model(kind, directions == 2, batch_first), [run(7, 2), run(4, 3)], small=True,
                dynamic=options.pop('dynamic', [words] + [{1: 'batch'}] * states), **{**SOME, **options})


def bert():
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=500, hidden_size=128, num_hidden_layers=3, num_attention_heads=4,
                        intermediate_size=256, max_position_embeddings=64, attn_implementation='sdpa')
    return Plain(BertModel(config))


class Plain(nn.Module):
    """A model of transformers with its outputs as a tuple."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask, return_dict=False)


def vit():
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(hidden_size=96, num_hidden_layers=3, num_attention_heads=4, intermediate_size=192,
                       image_size=64, patch_size=8, num_labels=20, initializer_range=0.2)
    return Named(ViTForImageClassification(config), 'logits')


class Named(nn.Module):
    def __init__(self, model, *names):
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, x):
        outputs = self.model(pixel_values=x)
        return tuple(getattr(outputs, name) for name in self.names)


def text_cases():
    # The tracing exporter turns the sizes inside nn.MultiheadAttention into constants.
    traced = {'fixed': ('tracing',)}
    attention = {'tracing': (13, 14, 17, 20), 'dynamo': (18, 20, 23, 25)}
    mask = {'type': 'int64', 'dims': [2, 12], 'kind': 'given', 'values': [1] * 12 + [1] * 7 + [0] * 5}
    return [
        recurrent_case('words_rnn', 'RNN', fixed=('dynamo',)),  # its steps are unrolled
        recurrent_case('words_gru', 'GRU'),
        recurrent_case('words_lstm', 'LSTM', 2),
        recurrent_case('words_lstm_both_ways', 'LSTM', 2, 2, batch_first=True),
        recurrent_case('words_gru_both_ways', 'GRU', 1, 2),
        Case('words_transformer', Attentive, [[ints(9, 2, below=WORDS)], [ints(5, 3, below=WORDS)]], small=True,
             dynamic=[{0: 'length', 1: 'batch'}], functions=True, **traced, **attention),
        Case('translator', Translator, [[real(2, 6, 12), real(2, 5, 12)], [real(1, 9, 12), real(1, 3, 12)]],
             small=True, dynamic=[{0: 'batch', 1: 'source'}, {0: 'batch', 1: 'target'}], functions=True, **traced, **attention),
        Case('bert', bert, [[ints(2, 12, below=500), mask]], dynamic=[{0: 'batch', 1: 'length'}] * 2, **attention),
        Case('vit', vit, [[real(2, 3, 64, 64)], [real(1, 3, 64, 64)]], dynamic=[{0: 'batch'}], **attention),
    ]
