/* upgrades.h: the table of what changed in ONNX's operators from version to version.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* By version, so that a node climbs through its versions in order. Operators separated by spaces, "*": any; the opset that
 * brought the change; what makes it. */
#define UPGRADES(UPGRADE)                                                                                                             \
  UPGRADE ("lp-pool-p", "LpPool GlobalLpPool", 2, lp_pool_p, "The order of the norm became an integer.")                              \
  UPGRADE ("pad-paddings", "Pad", 2, pad_paddings, "paddings was renamed to pads.")                                                   \
  UPGRADE ("concat-axis", "Concat", 4, concat_axis, "The axis was 1 where none was given.")                                           \
  UPGRADE ("reshape-shape", "Reshape", 5, reshape_shape, "The shape became an input, so that it can be computed.")                    \
  UPGRADE ("consumed-inputs", "*", 6, drop_consumed_inputs, "Memory planning is no longer written into the model.")                   \
  UPGRADE ("cast-to", "Cast", 6, cast_to_name, "Element types are numbered instead of named.")                                        \
  UPGRADE ("tile-repeats", "Tile", 6, tile_repeats, "One count for each axis, instead of one axis and its count.")                    \
  UPGRADE ("selu-defaults", "Selu", 6, selu_defaults, "The constants had fewer digits.")                                              \
  UPGRADE ("broadcast", "Add Sub Mul Div Pow And Or Xor Equal Less Greater", 7, legacy_broadcast,                                     \
           "Broadcasting became numpy's; an operand that was aligned at an axis gets the trailing dimensions that this needs.")       \
  UPGRADE ("gemm-broadcast", "Gemm", 7, gemm_broadcast, "Gemm always broadcasts its bias now.")                                       \
  UPGRADE ("prelu-slope", "PRelu", 7, prelu_slope, "A slope per channel needs trailing dimensions to broadcast.")                     \
  UPGRADE ("recurrent-output", "RNN GRU LSTM", 7, recurrent_output_sequence,                                                          \
           "Which outputs are wanted follows from which are used.")                                                                   \
  UPGRADE ("scan-batch", "Scan", 9, scan_8, "Scan lost its batch dimension: a Scan over the batch takes its place.")                  \
  UPGRADE ("upsample-resize", "Upsample", 10, upsample, "Upsample became a case of Resize.")                                          \
  UPGRADE ("slice-inputs", "Slice", 10, slice_inputs, "Where to slice became inputs, so that it can be computed.")                    \
  UPGRADE ("topk-k", "TopK", 10, topk_k, "k became an input, so that it can be computed.")                                            \
  UPGRADE ("resize-modes", "Resize", 11, resize_10, "How coordinates are mapped and rounded is now said.")                            \
  UPGRADE ("clip-inputs", "Clip", 11, clip_inputs, "The bounds became inputs, so that they can be computed.")                         \
  UPGRADE ("pad-inputs", "Pad", 11, pad_inputs, "The padding became an input, so that it can be computed.")                           \
  UPGRADE ("scatter-elements", "Scatter", 11, scatter, "Scatter was renamed when ScatterND came.")                                    \
  UPGRADE ("dropout-ratio", "Dropout", 12, dropout_ratio, "The ratio became an input, and training is asked for.")                    \
  UPGRADE ("axes-input", "Squeeze Unsqueeze ReduceSum", 13, axes_become_input,                                                        \
           "The axes became an input, so that they can be computed.")                                                                 \
  UPGRADE ("split-input", "Split", 13, split_input, "The lengths became an input, so that they can be computed.")                     \
  UPGRADE (                                                                                                                           \
      "softmax-axis", "Softmax LogSoftmax Hardmax", 13, softmax_matrix,                                                               \
      "The input was seen as a matrix, cut at the axis; now one axis is normalised, so the matrix has to be made where they differ.") \
  UPGRADE ("resize-optional", "Resize", 13, resize_11, "What is not given is left out, instead of an empty tensor.")                  \
  UPGRADE ("batch-normalization", "BatchNormalization", 14, batch_normalization,                                                      \
           "Training is asked for by training_mode; before, by having its outputs.")                                                  \
  UPGRADE ("roi-align-pixels", "RoiAlign", 16, roi_align_pixels, "The default became half pixels; before there was no offset.")       \
  UPGRADE ("reduce-axes-input",                                                                                                       \
           "ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", 18,            \
           axes_become_input, "The axes became an input, so that they can be computed.")                                              \
  UPGRADE ("split-num-outputs", "Split", 18, split_num_outputs, "Equal parts have to be counted.")                                    \
  UPGRADE ("grid-sample-modes", "GridSample", 20, grid_sample_modes,                                                                  \
           "The modes lost their bi-, for there are more dimensions than two.")                                                       \
  UPGRADE ("dft-axis", "DFT", 20, dft_axis, "The axis became an input, so that it can be computed.")                                  \
  UPGRADE ("group-normalization", "GroupNormalization", 21, group_normalization,                                                      \
           "Scale and bias are per channel, instead of per group.")                                                                   \
  UPGRADE ("affine", "Affine", 23, affine, "An operator on trial that ONNX took back: a product and a sum.")                          \
  UPGRADE ("scaled-tanh", "ScaledTanh", 23, scaled_tanh, "An operator on trial that ONNX took back: Tanh between two products.")      \
  UPGRADE ("parametric-softplus", "ParametricSoftplus", 23, parametric_softplus,                                                      \
           "An operator on trial that ONNX took back: Softplus between two products.")                                                \
  UPGRADE ("image-scaler", "ImageScaler", 23, image_scaler,                                                                           \
           "An operator on trial that ONNX took back: a product, and a sum for each channel.")                                        \
  UPGRADE ("crop", "Crop", 23, crop, "An operator on trial that ONNX took back: a Slice of height and width.")                        \
  UPGRADE ("dynamic-slice", "DynamicSlice", 23, dynamic_slice, "An operator on trial that became Slice.")
