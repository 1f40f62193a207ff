// Operators by what they do: each kind has its colour in the graph.

export const kCategories = [
  'port',
  'product',
  'activation',
  'pool',
  'norm',
  'shape',
  'maths',
  'control',
  'other',
] as const;
export type Category = (typeof kCategories)[number];

const kTypes: Readonly<Partial<Record<Category, string>>> = {
  product:
    'Conv ConvTranspose ConvInteger QLinearConv DeformConv Gemm MatMul MatMulInteger QLinearMatMul QGemm FusedMatMul Einsum LSTM GRU RNN Attention MultiHeadAttention MatMulNBits FusedConv STFT DFT',
  activation:
    'Relu LeakyRelu PRelu Elu Selu Celu Sigmoid HardSigmoid HardSwish Softmax LogSoftmax Tanh Gelu FastGelu BiasGelu Mish Softplus Softsign Clip Swish ThresholdedRelu Erf QuickGelu',
  pool: 'MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ArgMax ArgMin TopK MaxRoiPool RoiAlign NonMaxSuppression',
  norm: 'BatchNormalization LayerNormalization InstanceNormalization GroupNormalization LRN RMSNormalization SkipLayerNormalization SimplifiedLayerNormalization LpNormalization MeanVarianceNormalization Dropout QuantizeLinear DequantizeLinear DynamicQuantizeLinear',
  shape:
    'Reshape Transpose Flatten Squeeze Unsqueeze Concat Split Slice Gather GatherElements GatherND Scatter ScatterElements ScatterND Expand Tile Pad Shape Size Resize Upsample DepthToSpace SpaceToDepth Constant ConstantOfShape Identity Cast CastLike Range OneHot NonZero Compress EyeLike ReverseSequence Trilu',
  control:
    'If Loop Scan SequenceConstruct SequenceAt SequenceEmpty SequenceInsert SequenceErase SplitToSequence Optional',
  maths:
    'Add Sub Mul Div Pow Sqrt Exp Log Neg Abs Min Max Sum Mean Where Equal Greater Less GreaterOrEqual LessOrEqual And Or Not Xor Mod Floor Ceil Round Reciprocal Sin Cos Sign CumSum',
};

const kByType = new Map<string, number>();
for (const [i, name] of kCategories.entries()) {
  for (const type of kTypes[name]?.split(' ') ?? []) kByType.set(type, i);
}

/** A place in kCategories. */
export const categoryOf = (opType: string): number => kByType.get(opType) ?? kCategories.length - 1;
