# Tokenizers of each family, trained on a few sentences: what the network reads need not make sense.
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

TEXT = [
    'the quick brown fox jumps over the lazy dog',
    'a model runs in the browser, on the page itself',
    'weights are read once and packed for the processor',
    'how much wood would a woodchuck chuck if it could?',
    'she sells sea shells by the sea shore; he buys none',
]


def byte_level(size, specials):
    """GPT-2's kind."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(
        TEXT,
        trainers.BpeTrainer(
            vocab_size=size, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        ),
    )
    return t


def word_pieces(size):
    """BERT's kind."""
    t = Tokenizer(models.WordPiece(unk_token='[UNK]'))
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
    t.train_from_iterator(TEXT, trainers.WordPieceTrainer(vocab_size=size, special_tokens=specials, show_progress=False))
    ends = [('[CLS]', t.token_to_id('[CLS]')), ('[SEP]', t.token_to_id('[SEP]'))]
    t.post_processor = processors.BertProcessing(ends[1], ends[0])
    return PreTrainedTokenizerFast(
        tokenizer_object=t, unk_token='[UNK]', pad_token='[PAD]', cls_token='[CLS]', sep_token='[SEP]', mask_token='[MASK]'
    )


def of_decoder(size):
    t = byte_level(size, ['<|end|>'])
    return PreTrainedTokenizerFast(tokenizer_object=t, bos_token='<|end|>', eos_token='<|end|>', pad_token='<|end|>')


def of_whisper(size):
    specials = ['<|endoftext|>', '<|startoftranscript|>', '<|en|>', '<|transcribe|>', '<|translate|>', '<|notimestamps|>']
    t = byte_level(size, specials[:1])
    t.add_special_tokens(specials[1:])  # last: what follows <|notimestamps|> is a time
    return PreTrainedTokenizerFast(
        tokenizer_object=t, bos_token=specials[0], eos_token=specials[0], pad_token=specials[0], unk_token=specials[0]
    )


def of_clip(size):
    specials = ['<|startoftext|>', '<|endoftext|>']
    t = byte_level(size, specials)
    ids = [(name, t.token_to_id(name)) for name in specials]
    t.post_processor = processors.RobertaProcessing(ids[1], ids[0], trim_offsets=False, add_prefix_space=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=t, bos_token=specials[0], eos_token=specials[1], pad_token=specials[1], model_max_length=77
    )
