"""Exports PyTorch models by both of torch's exporters, and keeps PyTorch's own outputs as reference. Run by hand:

  python tests/models/export/export.py [--match RE] [--cache FOLDER] [--force]

The packages are those of requirements.txt. Small models go to tests/models/reference/exports, the others to
FOLDER/exports (by default the cache of the tests); the references are always beside the small ones. A file that is
there is not made again.
"""

import argparse
import base64
import copy
import gc
import json
import logging
import os
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from case import inputs_of

HERE = Path(__file__).resolve().parent
COMMITTED = HERE.parent / 'reference' / 'exports'
VALUES = 1024  # of an output that are kept, evenly spaced
MEANS = 64  # stretches of an output whose means are kept


def flatten(outputs):
    """The tensors of an output of PyTorch, in the exporters' order."""
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    if isinstance(outputs, dict):
        outputs = outputs.values()
    if isinstance(outputs, (int, float, bool)):
        return [torch.tensor(outputs)]
    return [] if outputs is None else [tensor for part in outputs for tensor in flatten(part)]


def encode(values, kind):
    return base64.b64encode(np.asarray(values, '<f4' if kind == 'float32' else '<f8').tobytes()).decode()


def digest_of(tensor):
    """What a reference keeps of an output; read by compareOutput() in tests/models/exports.mjs."""
    array = tensor.detach().numpy()
    kind = str(array.dtype)
    flat = array.reshape(-1).astype(np.float64)
    count = min(flat.size, VALUES)
    digest = {'type': kind, 'dims': list(array.shape)}
    digest['values'] = encode(flat[[i * flat.size // count for i in range(count)]], kind)
    if flat.size > VALUES:
        edges = [i * flat.size // MEANS for i in range(MEANS + 1)]
        digest['means'] = encode([flat[b:e].mean() for b, e in zip(edges, edges[1:])], 'float64')
    return digest


def build(case):
    """The model in inference mode, its weights by the case's seed."""
    torch.manual_seed(case.seed)
    model = case.make()
    if case.warm:
        model.train()
        with torch.no_grad():
            for _ in range(10):
                model(*(torch.cat([t, t.flip(0) * 0.5]) for t in inputs_of(case.runs[0])))
    return model.eval()


def fresh(case, model):
    """A model of its own for every use: exporters have changed the modules that they were given."""
    model = copy.deepcopy(model)
    return torch.jit.script(model) if case.script else model


def reference_of(case, model):
    runs = []
    for run in case.runs:
        torch.manual_seed(0)
        with torch.no_grad():
            outputs = flatten(model(*inputs_of(run)))
        floats = [o for o in outputs if o.dtype == torch.float32 and o.numel() > 1]
        if floats and max(o.abs().max() for o in floats) < 0.02:
            print(f'{case.name}: the outputs are too small for the tolerance', file=sys.stderr)
        runs.append({'inputs': run, 'outputs': [digest_of(o) for o in outputs]})
    return runs


def strip(model):
    """Takes out what names files of the machine that exported."""

    def nodes_of(graph):
        for node in graph.node:
            yield node
            for attribute in node.attribute:
                for inner in [attribute.g, *attribute.graphs] if attribute.type in (5, 10) else []:
                    yield from nodes_of(inner)

    graph = model.graph
    things = [graph, *graph.input, *graph.output, *graph.value_info, *graph.initializer, *nodes_of(graph)]
    for function in model.functions:
        things += [function, *function.value_info, *nodes_of(function)]
    for thing in things:
        thing.ClearField('doc_string')
        thing.ClearField('metadata_props')
    return model


def tracing(case, model, opset, path):
    names = [f'in{i}' for i in range(len(case.runs[0]))]
    dynamic = [] if 'tracing' in case.fixed else case.dynamic or []
    axes = {name: axes for name, axes in zip(names, dynamic) if axes}
    torch.onnx.export(
        model, inputs_of(case.runs[0]), path, dynamo=False, opset_version=opset, input_names=names,
        output_names=case.output_names, dynamic_axes=axes or None,
    )
    onnx.save(strip(onnx.load(path)), path)


def dynamo(case, model, opset, path, optimize=True):
    names = [f'in{i}' for i in range(len(case.runs[0]))]
    program = torch.onnx.export(
        model, inputs_of(case.runs[0]), dynamo=True, opset_version=opset, input_names=names, optimize=optimize,
        output_names=case.output_names, verbose=False,
        dynamic_shapes=tuple(case.dynamic) if case.dynamic and 'dynamo' not in case.fixed else None,
    )
    proto = strip(program.model_proto)
    # The exporter writes the opset that it could convert to.
    got = next(o.version for o in proto.opset_import if o.domain in ('', 'ai.onnx'))
    if got != opset:
        raise RuntimeError(f'gives opset {got}')
    onnx.save(proto, path)


def jobs_of(case):
    if 'tracing' in case.exporters:
        for opset in case.tracing:
            yield f'tracing{opset}', lambda model, path, o=opset: tracing(case, model, o, path)
    if 'dynamo' in case.exporters and not case.script:
        for opset in case.dynamo:
            yield f'dynamo{opset}', lambda model, path, o=opset: dynamo(case, model, o, path)
        if case.functions:
            opset = case.dynamo[0]
            yield f'functions{opset}', lambda model, path: dynamo(case, model, opset, path, optimize=False)


def export_case(case, folder, force):
    path = COMMITTED / f'{case.name}.json'
    before = json.loads(path.read_text()) if path.exists() and not force else {}
    files, refused = before.get('files', {}), before.get('refused', {})
    model = build(case)
    runs = reference_of(case, fresh(case, model))
    for label, export in jobs_of(case):
        target = folder / f'{case.name}.{label}.onnx'
        if not force and target.exists():
            files[label] = target.stat().st_size
            continue
        if not force and label in refused:
            continue
        files.pop(label, None)
        refused.pop(label, None)
        part = target.with_suffix('.part')
        try:
            export(fresh(case, model), str(part))
        except Exception as error:  # whatever an exporter does not take is part of the result
            refused[label] = reason_of(error)
            print(f'{case.name} {label}: refused: {refused[label]}')
            part.unlink(missing_ok=True)
            continue
        data = part.read_bytes()
        os.replace(part, target)
        files[label] = len(data)
        print(f'{case.name} {label}: {len(data)} bytes', flush=True)
        gc.collect()
    content = {'torch': torch.__version__, 'small': case.small, 'fixed': case.fixed, 'files': files, 'refused': refused}
    content['runs'] = runs
    path.write_text(json.dumps(content, separators=(',', ':')) + '\n')


def reason_of(error):
    """The first line that says something, without paths and colours."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [re.sub(r'\x1b\[[0-9;]*m', '', line).strip() for line in str(error).split('\n')]
    line = next((line for line in lines if line), type(error).__name__)
    return re.sub(r'(?<!\w)/[\w./-]+/', '', line)[:160]


def cache_folder():
    """As cacheFolder() in scripts/fetch-common.mjs."""
    home = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    return Path(os.environ.get('SARDONYX_CACHE') or home / 'sardonyx')


def main():
    from detection_models import detection_cases
    from small_models import small_cases
    from text_models import text_cases
    from vision_models import vision_cases

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--match', default='')
    parser.add_argument('--cache', type=Path, default=cache_folder())
    parser.add_argument('--force', action='store_true')
    args = parser.parse_args()
    warnings.filterwarnings('ignore')
    logging.disable(logging.WARNING)
    torch.set_num_threads(2)
    for case in [*small_cases(), *vision_cases(), *text_cases(), *detection_cases()]:
        if not re.search(args.match, case.name):
            continue
        folder = COMMITTED if case.small else args.cache / 'exports'
        folder.mkdir(parents=True, exist_ok=True)
        export_case(case, folder, args.force)


if __name__ == '__main__':
    main()
