// What the engine and its tools say, told in Chinese: the kind of error, its place, and what its sentence means where it
// is a frequent one. The sentence itself, with all its numbers, stays English.
import type { OnnxErrorCode } from 'sardonyx';
import type { Finding } from '../../../web/src/tools/types.js';
import type { Failure } from './said.js';

const kCodes: Readonly<Record<OnnxErrorCode, string>> = {
  invalid_model: '模型无效',
  unsupported_operator: '不支持的算子',
  invalid_input: '输入与模型不符',
  invalid_argument: '参数无效',
  out_of_memory: '内存不足',
  aborted: '已取消',
  runtime_error: '运行出错',
  load_failed: '无法读取文件',
  unsupported_platform: '浏览器不支持',
  instance_lost: '引擎意外终止，需要重新加载模型',
};

/** By the code of a check's finding. */
export const kFindings: Readonly<Record<string, string>> = {
  missing_field: '缺少必需的字段',
  ir_version: 'IR 版本有误',
  missing_opset: '没有导入所用的算子集',
  bad_opset: '算子集的声明有误',
  newer_opset: '算子集的版本比这里已知的更新',
  missing_type: '没有声明类型',
  missing_shape: '没有声明形状',
  duplicate_name: '名称重复',
  bad_initializer: '初始化张量有误',
  undefined_value: '所用的值不存在',
  not_sorted: '节点顺序有误，用到了后面才产生的值',
  deprecated_operator: '该算子已弃用',
  unknown_operator: '没有这个算子，或所导入的版本中没有',
  input_count: '输入个数不对',
  output_count: '输出个数不对',
  missing_input: '缺少必需的输入',
  missing_output: '缺少必需的输出',
  duplicate_attribute: '属性重复',
  bad_attribute: '属性的声明有误',
  unknown_attribute: '该算子没有这个属性',
  attribute_type: '属性的类型不对',
  missing_attribute: '缺少必需的属性',
  bad_external_data: '外部数据的声明有误',
  bad_tensor: '张量的数据有误',
  type_mismatch: '数据类型不一致',
  shape_mismatch: '形状不一致',
  invalid_node: '节点不符合算子的规定',
  not_implemented: '模型有效，但本引擎尚不能运行该算子',
};

/** The first that fits; $1 is what stands in the sentence. */
const kMeanings: readonly (readonly [RegExp, string])[] = [
  [/the model is empty \(0 bytes\)/, '文件是空的'],
  [/this is HTML|HTML page/, '这是一个 HTML 页面，不是模型；可能是服务器返回的错误页或登录页'],
  [/this is XML/, '这是 XML 文件，不是模型'],
  [/this is JSON/, '这是 JSON 文件，不是模型'],
  [/Git LFS pointer/, '这只是 Git LFS 指针，不是模型本身；请用 git lfs pull 取得模型文件'],
  [/this is a text file/, '这是文本文件，不是模型'],
  [/this is a zip archive/, '这是 zip 压缩包；可能是 PyTorch 文件，或需要先解压'],
  [/this is (\w+)-compressed data/, '这是 $1 压缩的数据，请先解压'],
  [/ORT format/, '这是 ORT 格式的模型，只有 onnxruntime 能读取；请使用 .onnx 文件'],
  [/TensorFlow Lite model/, '这是 TensorFlow Lite 模型，请先转换为 ONNX'],
  [/this is a GGUF file/, '这是 GGUF 文件，不是 ONNX 模型'],
  [/HDF5 file/, '这是 HDF5 文件（可能是 Keras 模型），请先转换为 ONNX'],
  [/this is a (PNG|JPEG) image/, '这是 $1 图片，不是模型'],
  [/this is a WebAssembly module/, '这是 WebAssembly 模块，不是模型'],
  [/is truncated|end too early|bytes end within/, '文件不完整，在中途结束'],
  [/is not an ONNX \w+, or it is damaged/, '这不是 ONNX 文件，或文件已损坏'],
  [/needs the external data file "(.*?)"/, '缺少外部数据文件“$1”，请与模型一起打开'],
  [/external data file "(.*)" has (\d+) bytes; .* up to (\d+)/, '外部数据文件“$1”有 $2 字节，而模型需要 $3 字节'],
  [/its data in "(.*)", which is no relative path/, '外部数据的路径“$1”不在模型所在的文件夹内'],
  [/has external data|external data is missing/, '没有提供模型的外部数据文件'],
  [/(\d+) bytes of external data, but .* needs (\d+)/, '外部数据为 $1 字节，按形状应有 $2 字节'],
  [/has a cycle through (\S+) "(.*)"/, '计算图中有环，经过 $1 节点“$2”'],
  [/"?([\w.]+)"?.* exists from version (\d+) of .* imports (\d+)/, '该算子从版本 $2 起才有，而模型导入的是版本 $3'],
  [/uses (\d+) operators that are not implemented/, '模型用到 $1 种尚未实现的算子'],
  [/operator that is not implemented: (\S+) \(node "(.*?)"\)/, '算子 $1（节点“$2”）尚未实现'],
  [/not implemented|is not supported/, '尚未实现'],
  [/does not import the operators of domain "(.*)"/, '模型没有导入“$1”域的算子集'],
  [/reads "(.*)", which nothing produces|nothing makes "(.*?)"/, '用到的值“$1$2”没有任何节点产生'],
  [/output "(.*)" of .* is produced by no node|nothing makes the output "(.*)"/, '输出“$1$2”没有任何节点产生'],
  [/the value "(.*)" is defined twice/, '值“$1”被定义了两次'],
  [/there are two initializers "(.*)"|initializer "(.*)" is given twice/, '初始化张量“$1$2”出现了两次'],
  [/attribute "(.*?)".* is given twice/, '属性“$1”出现了两次'],
  [/attribute "(.*?)" is missing|needs the attribute "(.*?)"/, '缺少属性“$1$2”'],
  [/attribute "(.*?)" is not one of|has no attribute "(.*?)"/, '该算子没有属性“$1$2”'],
  [/attribute "(.*?)".* must be (\S+?),? not (\S+)/, '属性“$1”应为 $2，而不是 $3'],
  [/input (\d+) is (\w+); allowed are ([^[]*)/, '输入 $1 的类型为 $2，允许的类型是 $3'],
  [
    /(?:input|output) (\S+) of (\S+) is (\S+), which version (\d+) does not take/,
    '$1 的类型为 $3，$2 的版本 $4 不接受',
  ],
  [/inputs (\d+) and (\d+) must have the same type/, '输入 $1 与输入 $2 的类型应相同'],
  [/input (\d+) is missing/, '缺少输入 $1'],
  [/takes (.*?) inputs?, not (\d+)/, '应有 $1 个输入，而不是 $2 个'],
  [/input (\d+) has rank (\d+), not (.*?)(?: \[|$)/, '输入 $1 的维数为 $2，应为 $3'],
  [/axis (-?\d+) is out of range for rank (\d+)/, '轴 $1 超出范围，张量只有 $2 维'],
  [/cannot multiply (\S+) by (\S+):/, '形状 $1 与 $2 不能相乘'],
  [/has (\d+) channels, W takes (\d+)/, '输入有 $1 个通道，而权重需要 $2 个'],
  [/cannot become|does not divide into/, '元素个数与目标形状不符'],
  [/broadcast|shapes .* differ/, '形状不能互相广播'],
  [/index (-?\d+) is out of range for dimension (\d+) of (\d+)/, '索引 $1 超出范围，第 $2 维的大小为 $3'],
  [/dimension (\d+) of input "(.*)" must be (\d+), not (\d+)/, '输入“$2”的第 $1 维应为 $3，而不是 $4'],
  [/input "(.*)" must have rank (\d+), not (\d+)/, '输入“$1”应为 $2 维，而不是 $3 维'],
  [/input "(.*)" must be (\S+), not (\S+)/, '输入“$1”的类型应为 $2，而不是 $3'],
  [/input "(.*)" \(.*\) is missing/, '缺少输入“$1”'],
  [/"(.*)" is declared as (.*?)(?: and is |, but the model computes )(.*)/, '“$1”声明的类型是 $2，实际是 $3'],
  [/"(.*)" is declared with the shape (.*) and has (.*)/, '“$1”声明的形状是 $2，实际是 $3'],
  [/no memory for a tensor of (\d+) bytes/, '没有 $1 字节的内存可用于一个张量'],
  [/no memory|no room|too large/, '所需内存过多'],
];

function meaningOf(sentence: string): string | undefined {
  for (const [pattern, text] of kMeanings) {
    const found = pattern.exec(sentence);
    if (found) return text.replace(/\$(\d)/g, (_, group: string) => found[Number(group)] ?? '');
  }
  return undefined;
}

const nodeText = (opType: string | undefined, name: string | undefined): string =>
  [name === undefined ? '节点' : `节点“${name}”`, opType].filter(Boolean).join('，算子 ');

const put = (kind: string, places: readonly string[], meaning: string | undefined): string =>
  `${kind}${places.length > 0 ? `（${places.join('，')}）` : ''}${meaning ? `：${meaning}` : ''}。`;

/** Undefined for errors that are not the engine's. */
export function explainFailure({ message, code, node, opType }: Failure): string | undefined {
  const kind = kCodes[code as OnnxErrorCode];
  if (kind === undefined) return undefined;
  return put(kind, node || opType ? [nodeText(opType, node)] : [], meaningOf(message));
}

/** In few words; the sentence's own meaning where it says more than the code does. */
export function explainFinding({ code, message, node, attribute, value }: Finding): string | undefined {
  const kind = kFindings[code];
  if (kind === undefined) return undefined;
  const places = node ? [nodeText(node.opType, node.name || String(node.index))] : [];
  if (attribute) places.push(`属性 ${attribute}`);
  if (value) places.push(`值“${value}”`);
  return put(kind, places, meaningOf(message));
}
