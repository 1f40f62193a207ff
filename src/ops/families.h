// Every family of operators, one function each; registry.cpp lists them.
#pragma once
#include <span>

#include "ops/operator.h"

namespace sardonyx {

// Elementwise and reductions
std::span<const OpEntry> unary_ops();       // ops/unary.cpp
std::span<const OpEntry> activation_ops();  // ops/activation.cpp
std::span<const OpEntry> binary_ops();      // ops/binary.cpp
std::span<const OpEntry> compare_ops();     // ops/compare.cpp
std::span<const OpEntry> variadic_ops();    // ops/variadic.cpp
std::span<const OpEntry> clip_ops();        // ops/clip.cpp
std::span<const OpEntry> where_ops();       // ops/where.cpp
std::span<const OpEntry> cast_ops();        // ops/cast.cpp
std::span<const OpEntry> reduce_ops();      // ops/reduce.cpp
std::span<const OpEntry> softmax_ops();     // ops/softmax.cpp
std::span<const OpEntry> arg_ops();         // ops/arg.cpp
std::span<const OpEntry> cumulative_ops();  // ops/cumulative.cpp

// Products, convolution, pooling, normalization, recurrence, quantization
std::span<const OpEntry> matmul_ops();            // ops/matmul.cpp
std::span<const OpEntry> gemm_ops();              // ops/gemm.cpp
std::span<const OpEntry> conv_ops();              // ops/conv.cpp
std::span<const OpEntry> conv_transpose_ops();    // ops/conv_transpose.cpp
std::span<const OpEntry> deform_conv_ops();       // ops/deform_conv.cpp
std::span<const OpEntry> pool_ops();              // ops/pool.cpp
std::span<const OpEntry> normalization_ops();     // ops/normalization.cpp
std::span<const OpEntry> batch_norm_ops();        // ops/batch_norm.cpp
std::span<const OpEntry> layer_norm_ops();        // ops/layer_norm.cpp
std::span<const OpEntry> dropout_ops();           // ops/dropout.cpp
std::span<const OpEntry> recurrent_ops();         // ops/recurrent.cpp
std::span<const OpEntry> quantize_ops();          // ops/quantize.cpp
std::span<const OpEntry> integer_ops();           // ops/integer.cpp
std::span<const OpEntry> conv_integer_ops();      // ops/conv_integer.cpp
std::span<const OpEntry> resize_ops();            // ops/resize.cpp
std::span<const OpEntry> depth_space_ops();       // ops/depth_space.cpp
std::span<const OpEntry> unpool_ops();            // ops/unpool.cpp
std::span<const OpEntry> attention_ops();         // ops/attention.cpp
std::span<const OpEntry> linear_attention_ops();  // ops/linear_attention.cpp
std::span<const OpEntry> rotary_ops();            // ops/rotary.cpp
std::span<const OpEntry> loss_ops();              // ops/loss.cpp
std::span<const OpEntry> grid_sample_ops();       // ops/grid_sample.cpp
std::span<const OpEntry> affine_grid_ops();       // ops/affine_grid.cpp
std::span<const OpEntry> einsum_ops();            // ops/einsum.cpp
std::span<const OpEntry> col2im_ops();            // ops/col2im.cpp
std::span<const OpEntry> roi_ops();               // ops/roi.cpp
std::span<const OpEntry> det_ops();               // ops/det.cpp

// Shape, data movement, sequences, control flow
std::span<const OpEntry> shape_ops();      // ops/shape.cpp
std::span<const OpEntry> reshape_ops();    // ops/reshape.cpp
std::span<const OpEntry> transpose_ops();  // ops/transpose.cpp
std::span<const OpEntry> concat_ops();     // ops/concat.cpp
std::span<const OpEntry> split_ops();      // ops/split.cpp
std::span<const OpEntry> slice_ops();      // ops/slice.cpp
std::span<const OpEntry> gather_ops();     // ops/gather.cpp
std::span<const OpEntry> scatter_ops();    // ops/scatter.cpp
std::span<const OpEntry> pad_ops();        // ops/pad.cpp
std::span<const OpEntry> tile_ops();       // ops/tile.cpp
std::span<const OpEntry> fill_ops();       // ops/fill.cpp
std::span<const OpEntry> selection_ops();  // ops/selection.cpp
std::span<const OpEntry> sequence_ops();   // ops/sequence.cpp
std::span<const OpEntry> optional_ops();   // ops/optional.cpp
std::span<const OpEntry> text_ops();       // ops/text.cpp
std::span<const OpEntry> control_ops();    // ops/control.cpp

// Signals, text as numbers, images, training
std::span<const OpEntry> fourier_ops();    // ops/fourier.cpp
std::span<const OpEntry> window_ops();     // ops/window.cpp
std::span<const OpEntry> tf_idf_ops();     // ops/tf_idf.cpp
std::span<const OpEntry> image_ops();      // ops/image.cpp
std::span<const OpEntry> optimizer_ops();  // ops/optimizer.cpp (ai.onnx.preview.training)

// ai.onnx.ml
std::span<const OpEntry> ml_label_ops();    // ops/ml/labels.cpp
std::span<const OpEntry> ml_map_ops();      // ops/ml/maps.cpp
std::span<const OpEntry> ml_feature_ops();  // ops/ml/features.cpp
std::span<const OpEntry> ml_linear_ops();   // ops/ml/linear.cpp
std::span<const OpEntry> ml_svm_ops();      // ops/ml/svm.cpp
std::span<const OpEntry> ml_tree_ops();     // ops/ml/trees.cpp

// com.microsoft, as onnxruntime defines it (docs/ContribOperators.md there)
std::span<const OpEntry> ms_nbits_ops();              // ops/microsoft/matmul_nbits.cpp
std::span<const OpEntry> ms_bnb4_ops();               // ops/microsoft/matmul_bnb4.cpp
std::span<const OpEntry> ms_linear_state_ops();       // ops/microsoft/linear_state.cpp
std::span<const OpEntry> ms_lstm_ops();               // ops/microsoft/quantized_lstm.cpp
std::span<const OpEntry> ms_pool_ops();               // ops/microsoft/nhwc_max_pool.cpp
std::span<const OpEntry> ms_norm_ops();               // ops/microsoft/skip_norms.cpp
std::span<const OpEntry> ms_rotary_ops();             // ops/microsoft/rotary.cpp
std::span<const OpEntry> ms_attention_ops();          // ops/microsoft/attention.cpp
std::span<const OpEntry> ms_grouped_attention_ops();  // ops/microsoft/grouped_attention.cpp
std::span<const OpEntry> ms_integer_ops();            // ops/microsoft/integer.cpp
std::span<const OpEntry> ms_qlinear_ops();            // ops/microsoft/qlinear.cpp
std::span<const OpEntry> ms_activation_ops();         // ops/microsoft/activation.cpp
std::span<const OpEntry> ms_gather_ops();             // ops/microsoft/gather.cpp
std::span<const OpEntry> ms_linear_ops();             // ops/microsoft/linear.cpp

}  // namespace sardonyx
