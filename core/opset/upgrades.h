/* upgrades.h: the table of what changed in ONNX's operators from version to version.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* By version, so that a node climbs through its versions in order. Operators separated by spaces, "*": any; the opset that
 * brought the change; what makes it. */
#define UPGRADES(UPGRADE)                                                                                                       \
  UPGRADE ("lp-pool-p", "LpPool GlobalLpPool", 2, lp_pool_p, "The attribute p became an integer instead of a float.")           \
  UPGRADE ("pad-paddings", "Pad", 2, pad_paddings, "The attribute paddings was renamed to pads.")                               \
  UPGRADE ("concat-axis", "Concat", 4, concat_axis, "The axis became required; before, its default was 1.")                     \
  UPGRADE ("reshape-shape", "Reshape", 5, reshape_shape, "The shape became an input, so that it can be computed.")              \
  UPGRADE ("consumed-inputs", "*", 6, drop_consumed_inputs,                                                                     \
           "The attribute consumed_inputs, a hint for memory planning, was removed.")                                           \
  UPGRADE ("cast-to", "Cast", 6, cast_to_name, "The target type became a number instead of a name.")                            \
  UPGRADE ("tile-repeats", "Tile", 6, tile_repeats, "Tile got a count for each axis, instead of one axis and its count.")       \
  UPGRADE ("selu-defaults", "Selu", 6, selu_defaults, "The default alpha and gamma got more digits.")                           \
  UPGRADE ("broadcast", "Add Sub Mul Div Pow And Or Xor Equal Less Greater", 7, legacy_broadcast,                               \
           "Broadcasting now follows numpy, so an operand that was aligned at an axis gets trailing dimensions.")               \
  UPGRADE ("gemm-broadcast", "Gemm", 7, gemm_broadcast, "Gemm always broadcasts its bias now.")                                 \
  UPGRADE ("prelu-slope", "PRelu", 7, prelu_slope, "A slope per channel needs trailing dimensions to broadcast.")               \
  UPGRADE ("recurrent-output", "RNN GRU LSTM", 7, recurrent_output_sequence,                                                    \
           "The attribute output_sequence was removed: an output is computed if it is used.")                                   \
  UPGRADE ("scan-batch", "Scan", 9, scan_8, "Scan lost its batch dimension, so an outer Scan runs over the batch.")             \
  UPGRADE ("upsample-resize", "Upsample", 10, upsample, "Upsample was replaced by Resize.")                                     \
  UPGRADE ("slice-inputs", "Slice", 10, slice_inputs, "The starts, ends and axes became inputs, so that they can be computed.") \
  UPGRADE ("topk-k", "TopK", 10, topk_k, "k became an input, so that it can be computed.")                                      \
  UPGRADE ("resize-modes", "Resize", 11, resize_10, "The mapping and rounding of coordinates became attributes.")               \
  UPGRADE ("clip-inputs", "Clip", 11, clip_inputs, "The bounds became inputs, so that they can be computed.")                   \
  UPGRADE ("pad-inputs", "Pad", 11, pad_inputs, "The padding became an input, so that it can be computed.")                     \
  UPGRADE ("scatter-elements", "Scatter", 11, scatter, "Scatter was renamed to ScatterElements when ScatterND was added.")      \
  UPGRADE ("dropout-ratio", "Dropout", 12, dropout_ratio, "The ratio and the training mode became inputs.")                     \
  UPGRADE ("axes-input", "Squeeze Unsqueeze ReduceSum", 13, axes_become_input,                                                  \
           "The axes became an input, so that they can be computed.")                                                           \
  UPGRADE ("split-input", "Split", 13, split_input, "The lengths became an input, so that they can be computed.")               \
  UPGRADE (                                                                                                                     \
      "softmax-axis", "Softmax LogSoftmax Hardmax", 13, softmax_matrix,                                                         \
      "The operator flattened its input to a matrix at the axis; now it works along one axis, so Reshapes keep the meaning.")   \
  UPGRADE ("resize-optional", "Resize", 13, resize_11, "An absent input is omitted, instead of passed as an empty tensor.")     \
  UPGRADE ("batch-normalization", "BatchNormalization", 14, batch_normalization,                                                \
           "The attribute training_mode selects training; before, the number of outputs did.")                                  \
  UPGRADE ("roi-align-pixels", "RoiAlign", 16, roi_align_pixels,                                                                \
           "The default coordinates became half pixels; before, there was no offset.")                                          \
  UPGRADE ("reduce-axes-input",                                                                                                 \
           "ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", 18,      \
           axes_become_input, "The axes became an input, so that they can be computed.")                                        \
  UPGRADE ("split-num-outputs", "Split", 18, split_num_outputs, "A split into equal parts now states their number.")            \
  UPGRADE ("grid-sample-modes", "GridSample", 20, grid_sample_modes,                                                            \
           "The modes bilinear and bicubic were renamed to linear and cubic, for any number of dimensions.")                    \
  UPGRADE ("dft-axis", "DFT", 20, dft_axis, "The axis became an input, so that it can be computed.")                            \
  UPGRADE ("group-normalization", "GroupNormalization", 21, group_normalization,                                                \
           "Scale and bias are per channel, instead of per group.")                                                             \
  UPGRADE ("affine", "Affine", 23, affine, "ONNX removed this experimental operator, which is a product and a sum.")            \
  UPGRADE ("scaled-tanh", "ScaledTanh", 23, scaled_tanh,                                                                        \
           "ONNX removed this experimental operator, which is Tanh between two products.")                                      \
  UPGRADE ("parametric-softplus", "ParametricSoftplus", 23, parametric_softplus,                                                \
           "ONNX removed this experimental operator, which is Softplus between two products.")                                  \
  UPGRADE ("image-scaler", "ImageScaler", 23, image_scaler,                                                                     \
           "ONNX removed this experimental operator, which is a product and a sum for each channel.")                           \
  UPGRADE ("crop", "Crop", 23, crop, "ONNX removed this experimental operator, which is a Slice of height and width.")          \
  UPGRADE ("dynamic-slice", "DynamicSlice", 23, dynamic_slice, "ONNX replaced this experimental operator by Slice.")
