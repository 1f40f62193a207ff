# Export by torch's tracing exporter, the quantisers that people use, and the merging of two decoders.
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer


def export(module, args, inputs, outputs, axes, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        torch.onnx.export(
            module.eval(),
            tuple(args),
            str(path),
            input_names=inputs,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )


def quantise(path, kinds):
    """path.onnx -> path_quantized.onnx (q8: weights in 8 bits, activations as they come), path_uint8.onnx, path_q4.onnx.
    reduce_range: without it onnxruntime's sums saturate on processors that lack VNNI, and are no reference."""
    base = str(path)[: -len('.onnx')]
    if 'q8' in kinds:
        quantize_dynamic(str(path), base + '_quantized.onnx', weight_type=QuantType.QInt8, reduce_range=True)
    if 'u8' in kinds:
        quantize_dynamic(str(path), base + '_uint8.onnx', weight_type=QuantType.QUInt8)
    if 'q4' in kinds:
        q = MatMulNBitsQuantizer(onnx.load(str(path)), block_size=32, is_symmetric=False)
        q.process()
        q.model.save_model_to_file(base + '_q4.onnx', use_external_data_format=False)


def branch(graph, prefix, shared, inputs):
    """The nodes as a branch of an If: names get the prefix, weights go to `shared` (by content), inputs come from outside."""
    names = {name: name for name in inputs}
    for tensor in graph.initializer:
        key = (tensor.data_type, tuple(tensor.dims), numpy_helper.to_array(tensor).tobytes())
        if key not in shared:
            shared[key] = onnx.TensorProto()
            shared[key].CopyFrom(tensor)
            shared[key].name = f'weight{len(shared)}'
        names[tensor.name] = shared[key].name
    nodes = []
    for node in graph.node:
        node.input[:] = [name and names.get(name, prefix + name) for name in node.input]
        node.output[:] = [name and prefix + name for name in node.output]
        node.name = prefix + node.name
        nodes.append(node)
    return nodes


def merge(first, then, path):
    """One model of two decoders that share their weights, chosen by `use_cache_branch` as optimum writes it: `first` has
    no past. Outputs that `then` does not make are those of its past."""
    a, b = onnx.load(str(first)), onnx.load(str(then))
    inputs = [i.name for i in b.graph.input] + [i.name for i in a.graph.input if i.name not in {j.name for j in b.graph.input}]
    shared = {}
    first_nodes, then_nodes = branch(a.graph, 'first/', shared, inputs), branch(b.graph, 'then/', shared, inputs)
    outputs = [o.name for o in a.graph.output]
    made = {o.name for o in b.graph.output}
    for name in outputs:
        if name not in made:
            past = name.replace('present', 'past_key_values')
            then_nodes.append(helper.make_node('Identity', [past], ['then/' + name]))
    open_type = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
    graphs = [
        helper.make_graph(nodes, prefix[:-1], [], [open_type(prefix + name) for name in outputs])
        for prefix, nodes in (('first/', first_nodes), ('then/', then_nodes))
    ]
    choice = helper.make_node('If', ['use_cache_branch'], outputs, then_branch=graphs[1], else_branch=graphs[0])
    every = {i.name: i for i in [*a.graph.input, *b.graph.input]}
    flag = helper.make_tensor_value_info('use_cache_branch', TensorProto.BOOL, [1])
    graph = helper.make_graph(
        [choice], 'merged', [*(every[name] for name in inputs), flag], list(a.graph.output), list(shared.values())
    )
    model = helper.make_model(graph, opset_imports=a.opset_import, ir_version=a.ir_version)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    first.unlink(), then.unlink()
