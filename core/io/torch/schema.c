/* schema.c: names of the parameters of ATen's operators (aten/src/ATen/native/native_functions.yaml), and the types that PyTorch prints.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/io/torch/torch.h"

/* clang-format off */
static const struct { const char *op, *names; } signatures[] = {
  { "add", "*self *other alpha" }, { "sub", "*self *other alpha" }, { "rsub", "*self *other alpha" }, { "mul", "*self *other" }, { "div", "*self *other rounding_mode" },
  { "true_divide", "*self *other" }, { "floor_divide", "*self *other" }, { "remainder", "*self *other" }, { "fmod", "*self *other" }, { "pow", "*self *exponent" },
  { "maximum", "*self *other" }, { "minimum", "*self *other" }, { "atan2", "*self *other" }, { "eq", "*self *other" }, { "ne", "*self *other" }, { "lt", "*self *other" },
  { "le", "*self *other" }, { "gt", "*self *other" }, { "ge", "*self *other" }, { "logical_and", "*self *other" }, { "logical_or", "*self *other" }, { "logical_xor", "*self *other" },
  { "bitwise_and", "*self *other" }, { "bitwise_or", "*self *other" }, { "bitwise_xor", "*self *other" }, { "where", "*condition *self *other" }, { "masked_fill", "*self *mask *value" },
  { "matmul", "*self *other" }, { "mm", "*self *mat2" }, { "bmm", "*self *mat2" }, { "mv", "*self *vec" }, { "dot", "*self *tensor" }, { "addmm", "*self *mat1 *mat2 beta alpha" },
  { "baddbmm", "*self *batch1 *batch2 beta alpha" }, { "addcmul", "*self *tensor1 *tensor2 value" }, { "addcdiv", "*self *tensor1 *tensor2 value" }, { "linear", "*input *weight *bias" },
  { "einsum", "equation *tensors path" }, { "conv1d", "*input *weight *bias stride padding dilation groups" }, { "conv2d", "*input *weight *bias stride padding dilation groups" },
  { "conv3d", "*input *weight *bias stride padding dilation groups" }, { "conv_transpose1d", "*input *weight *bias stride padding output_padding groups dilation" },
  { "conv_transpose2d", "*input *weight *bias stride padding output_padding groups dilation" }, { "conv_transpose3d", "*input *weight *bias stride padding output_padding groups dilation" },
  { "convolution", "*input *weight *bias stride padding dilation transposed output_padding groups" },
  { "_convolution", "*input *weight *bias stride padding dilation transposed output_padding groups benchmark deterministic cudnn_enabled allow_tf32" },
  { "max_pool1d", "*self kernel_size stride padding dilation ceil_mode" }, { "max_pool2d", "*self kernel_size stride padding dilation ceil_mode" },
  { "max_pool3d", "*self kernel_size stride padding dilation ceil_mode" }, { "max_pool2d_with_indices", "*self kernel_size stride padding dilation ceil_mode" },
  { "avg_pool1d", "*self kernel_size stride padding ceil_mode count_include_pad" }, { "avg_pool2d", "*self kernel_size stride padding ceil_mode count_include_pad divisor_override" },
  { "avg_pool3d", "*self kernel_size stride padding ceil_mode count_include_pad divisor_override" }, { "adaptive_avg_pool1d", "*self output_size" },
  { "adaptive_avg_pool2d", "*self output_size" }, { "_adaptive_avg_pool2d", "*self output_size" }, { "adaptive_max_pool2d", "*self output_size" },
  { "batch_norm", "*input *weight *bias *running_mean *running_var training momentum eps cudnn_enabled" },
  { "_native_batch_norm_legit_no_training", "*input *weight *bias *running_mean *running_var momentum eps" },
  { "native_batch_norm", "*input *weight *bias *running_mean *running_var training momentum eps" },
  { "instance_norm", "*input *weight *bias *running_mean *running_var use_input_stats momentum eps cudnn_enabled" },
  { "layer_norm", "*input normalized_shape *weight *bias eps cudnn_enable" }, { "native_layer_norm", "*input normalized_shape *weight *bias eps" },
  { "group_norm", "*input num_groups *weight *bias eps cudnn_enabled" }, { "softmax", "*self dim dtype" }, { "_softmax", "*self dim half_to_float" }, { "log_softmax", "*self dim dtype" },
  { "_log_softmax", "*self dim half_to_float" }, { "gelu", "*self approximate" }, { "elu", "*self alpha scale input_scale" }, { "celu", "*self alpha" }, { "leaky_relu", "*self negative_slope" },
  { "prelu", "*self *weight" }, { "hardtanh", "*self min_val max_val" }, { "softplus", "*self beta threshold" }, { "threshold", "*self threshold value" }, { "glu", "*self dim" },
  { "hardshrink", "*self lambd" }, { "softshrink", "*self lambd" }, { "clamp", "*self *min *max" }, { "clamp_min", "*self *min" }, { "clamp_max", "*self *max" }, { "clip", "*self *min *max" },
  { "dropout", "*input p train" }, { "dropout_", "*self p train" }, { "feature_dropout", "*input p train" }, { "native_dropout", "*input p train" },
  { "sum", "*self dim keepdim dtype" }, { "mean", "*self dim keepdim dtype" }, { "prod", "*self dim keepdim dtype" }, { "amax", "*self dim keepdim" }, { "amin", "*self dim keepdim" },
  { "max", "*self dim keepdim" }, { "min", "*self dim keepdim" }, { "argmax", "*self dim keepdim" }, { "argmin", "*self dim keepdim" }, { "all", "*self dim keepdim" }, { "any", "*self dim keepdim" },
  { "logsumexp", "*self dim keepdim" }, { "norm", "*self p dim keepdim dtype" }, { "var", "*self dim unbiased keepdim" }, { "std", "*self dim unbiased keepdim" },
  { "cumsum", "*self dim dtype" }, { "topk", "*self k dim largest sorted" }, { "sort", "*self dim descending stable" }, { "argsort", "*self dim descending stable" },
  { "view", "*self size" }, { "reshape", "*self shape" }, { "_unsafe_view", "*self size" }, { "flatten", "*self start_dim end_dim" }, { "unflatten", "*self dim sizes" }, { "squeeze", "*self dim" },
  { "unsqueeze", "*self dim" }, { "permute", "*self dims" }, { "transpose", "*self dim0 dim1" }, { "t", "*self" }, { "numpy_T", "*self" }, { "expand", "*self size implicit" }, { "expand_as", "*self *other" },
  { "view_as", "*self *other" }, { "reshape_as", "*self *other" }, { "type_as", "*self *other" }, { "repeat", "*self repeats" }, { "cat", "*tensors dim" }, { "concat", "*tensors dim" }, { "stack", "*tensors dim" },
  { "split", "*self split_size dim" }, { "split_with_sizes", "*self split_sizes dim" }, { "chunk", "*self chunks dim" }, { "unsafe_chunk", "*self chunks dim" }, { "unsafe_split", "*self split_size dim" }, { "tensor_split", "*self sections dim" }, { "unbind", "*self dim" }, { "slice", "*self dim start end step" },
  { "select", "*self dim index" }, { "narrow", "*self dim start length" }, { "index_select", "*self dim *index" }, { "gather", "*self dim *index sparse_grad" }, { "index", "*self *indices" },
  { "scatter", "*self dim *index *src reduce" }, { "embedding", "*weight *indices padding_idx scale_grad_by_freq sparse" }, { "constant_pad_nd", "*self pad value" }, { "pad", "*self pad mode value" },
  { "flip", "*self dims" }, { "roll", "*self shifts dims" }, { "tril", "*self diagonal" }, { "triu", "*self diagonal" }, { "to", "*self dtype non_blocking copy memory_format" }, { "_to_copy", "*self" }, { "clone", "*self memory_format" },
  { "contiguous", "*self memory_format" }, { "detach", "*self" }, { "alias", "*self" }, { "copy_", "*self *src non_blocking" }, { "size", "*self dim" }, { "len", "*a" }, { "numel", "*self" }, { "dim", "*self" }, { "item", "*self" }, { "Bool", "*a" },
  { "Int", "*a" }, { "Float", "*a" }, { "zeros", "size dtype layout device pin_memory" }, { "ones", "size dtype layout device pin_memory" }, { "full", "size fill_value dtype layout device pin_memory" }, { "empty", "size dtype layout device pin_memory memory_format" }, { "zeros_like", "*self dtype layout device pin_memory memory_format" }, { "ones_like", "*self dtype layout device pin_memory memory_format" }, { "full_like", "*self fill_value dtype layout device pin_memory memory_format" },
  { "arange", "start end step" }, { "tensor", "data dtype device requires_grad" }, { "__getitem__", "*list idx" }, { "neg", "*self" }, { "abs", "*self" }, { "relu", "*self" }, { "sigmoid", "*self" }, { "tanh", "*self" },
  { "quantize_per_tensor", "*self scale zero_point dtype" }, { "dequantize", "*self" }, { "scaled_dot_product_attention", "*query *key *value *attn_mask dropout_p is_causal scale" },
  { "_transformer_encoder_layer_fwd", "*src embed_dim num_heads *qkv_weight *qkv_bias *proj_weight *proj_bias use_gelu norm_first eps *norm_weight_1 *norm_bias_1 *norm_weight_2 *norm_bias_2 *ffn_weight_1 *ffn_bias_1 *ffn_weight_2 *ffn_bias_2 *mask" },
  { "lstm", "*input *hx *params has_biases num_layers dropout train bidirectional batch_first" }, { "gru", "*input *hx *params has_biases num_layers dropout train bidirectional batch_first" },
  { "upsample_nearest2d", "*input output_size scale_factors" }, { "upsample_bilinear2d", "*input output_size align_corners scale_factors" }, { "one_hot", "*self num_classes" },
  { "var_mean", "*self dim unbiased keepdim" }, { "std_mean", "*self dim unbiased keepdim" }, { "linalg_vector_norm", "*self ord dim keepdim dtype" }, { "linalg_norm", "*self ord dim keepdim dtype" },
  { "frobenius_norm", "*self dim keepdim" }, { "cumprod", "*self dim dtype" }, { "movedim", "*self source destination" }, { "swapaxes", "*self dim0 dim1" }, { "swapdims", "*self dim0 dim1" },
  { "diagonal", "*self offset dim1 dim2" }, { "unfold", "*self dimension size step" }, { "repeat_interleave", "*self repeats dim output_size" }, { "new_zeros", "*self size dtype layout device pin_memory" }, { "new_ones", "*self size dtype layout device pin_memory" },
  { "new_empty", "*self size dtype layout device pin_memory" }, { "new_full", "*self size fill_value dtype layout device pin_memory" }, { "masked_select", "*self *mask" }, { "select_scatter", "*self *src dim index" }, { "slice_scatter", "*self *src dim start end step" },
  { "scatter_add", "*self dim *index *src" }, { "pixel_shuffle", "*self upscale_factor" }, { "pixel_unshuffle", "*self downscale_factor" }, { "tile", "*self dims" }, { "concatenate", "*tensors dim" },
  { "hstack", "*tensors" }, { "vstack", "*tensors" }, { "meshgrid", "*tensors indexing" }, { "lerp", "*self *end *weight" }, { "logaddexp", "*self *other" }, { "outer", "*self *vec2" },
  { "addmv", "*self *mat *vec beta alpha" }, { "fill", "*self *value" }, { "zero", "*self" }, { "copy", "*self *src non_blocking" }, { "floordiv", "*self *other" }, { "empty_like", "*self dtype layout device pin_memory memory_format" },
  { "reflection_pad1d", "*self padding" }, { "reflection_pad2d", "*self padding" }, { "reflection_pad3d", "*self padding" }, { "replication_pad1d", "*self padding" },
  { "replication_pad2d", "*self padding" }, { "replication_pad3d", "*self padding" }, { "adaptive_max_pool1d", "*self output_size" }, { "nan_to_num", "*self nan posinf neginf" },
  { "_convolution_mode", "*input *weight *bias stride padding dilation groups" }, { "cudnn_batch_norm", "*input *weight *bias *running_mean *running_var training momentum eps" },
  { "_native_multi_head_attention", "*query *key *value embed_dim num_head *qkv_weight *qkv_bias *proj_weight *proj_bias *mask need_weights average_attn_weights mask_type" },
  { "rnn_tanh", "*input *hx *params has_biases num_layers dropout train bidirectional batch_first" }, { "rnn_relu", "*input *hx *params has_biases num_layers dropout train bidirectional batch_first" },
  { "upsample_nearest1d", "*input output_size scale_factors" }, { "upsample_nearest3d", "*input output_size scale_factors" }, { "upsample_linear1d", "*input output_size align_corners scale_factors" },
  { "upsample_trilinear3d", "*input output_size align_corners scale_factors" }, { "upsample_bicubic2d", "*input output_size align_corners scale_factors" }, { "scalar_tensor", "s dtype layout device pin_memory" },
  { "sym_size", "*self dim" }, { "__and__", "*self *other" }, { "__or__", "*self *other" }, { "__xor__", "*self *other" }, { "__lshift__", "*self *other" }, { "__rshift__", "*self *other" },
  { "__contains__", "l *item" }, { "format", "*self" }, { "find", "*self substr start end" }, { "append", "*self *el" }, { "extend", "*self *other" }, { "insert", "*self idx *el" }, { "__range_length", "lo hi step" }, { "__derive_index", "index start step" }, { "__is__", "*self *obj" }, { "__isnot__", "*self *obj" }, { "cosine_similarity", "*x1 *x2 dim eps" }, { "alpha_dropout", "*input p train" }, { "feature_alpha_dropout", "*input p train" }, { "requires_grad_", "*self requires_grad" },
  { "_adaptive_avg_pool3d", "*self output_size" }, { "adaptive_avg_pool3d", "*self output_size" }, { "rms_norm", "*input normalized_shape *weight eps" },
  { "native_group_norm", "*input *weight *bias N C HxW group eps" }, { "index_put", "*self *indices *values accumulate" },
  { "lstm_cell", "*input *hx *w_ih *w_hh *b_ih *b_hh" }, { "gru_cell", "*input *hx *w_ih *w_hh *b_ih *b_hh" }, { "rnn_tanh_cell", "*input *hx *w_ih *w_hh *b_ih *b_hh" },
  { "rnn_relu_cell", "*input *hx *w_ih *w_hh *b_ih *b_hh" }, { "_weight_norm", "*v *g dim" }, { "_weight_norm_interface", "*v *g dim" },
  { "embedding_bag", "*weight *indices *offsets scale_grad_by_freq mode sparse *per_sample_weights include_last_offset padding_idx" },
  { "_embedding_bag", "*weight *indices *offsets scale_grad_by_freq mode sparse *per_sample_weights include_last_offset padding_idx" },
  { "grid_sampler", "*input *grid interpolation_mode padding_mode align_corners" }, { "grid_sampler_2d", "*input *grid interpolation_mode padding_mode align_corners" },
  { "affine_grid_generator", "*theta size align_corners" }, { "max_pool1d_with_indices", "*self kernel_size stride padding dilation ceil_mode" },
  { "max_pool3d_with_indices", "*self kernel_size stride padding dilation ceil_mode" }, { "adaptive_max_pool3d", "*self output_size" },
  { "diagonal_copy", "*self offset dim1 dim2" }, { "diag", "*self diagonal" }, { "diag_embed", "*self offset dim1 dim2" }, { "trace", "*self" }, { "round", "*self decimals" }, { "eye", "n m dtype layout device pin_memory" },
  { "take", "*self *index" }, { "bincount", "*self *weights minlength" }, { "bilinear", "*input1 *input2 *weight *bias" },
  { "hann_window", "window_length periodic dtype layout device pin_memory" }, { "hamming_window", "window_length periodic alpha beta dtype layout device pin_memory" },
  { "blackman_window", "window_length periodic dtype layout device pin_memory" },
  { "linspace", "start end steps dtype layout device pin_memory" }, { "tril_indices", "row col offset dtype layout device pin_memory" }, { "triu_indices", "row col offset dtype layout device pin_memory" },
  { "im2col", "*self kernel_size dilation padding stride" }, { "col2im", "*self output_size kernel_size dilation padding stride" }, { "channel_shuffle", "*self groups" },
  { "native_channel_shuffle", "*self groups" }, { "rot90", "*self k dims" }, { "flipud", "*self" }, { "fliplr", "*self" }, { "broadcast_tensors", "*tensors" }, { "broadcast_to", "*self size" },
  { "dstack", "*tensors" }, { "column_stack", "*tensors" }, { "atleast_1d", "*self" }, { "atleast_2d", "*self" }, { "atleast_3d", "*self" }, { "logit", "*self eps" },
  { "rrelu", "*self lower upper training generator" }, { "fake_quantize_per_tensor_affine", "*self scale zero_point quant_min quant_max" },
  { "fake_quantize_per_tensor_affine_cachemask", "*self scale zero_point quant_min quant_max" }, { "xlogy", "*self *other" }, { "float_power", "*self *other" }, { "hypot", "*self *other" },
  { "ldexp", "*self *other" }, { "heaviside", "*self *other" }, { "fmax", "*self *other" }, { "fmin", "*self *other" }, { "copysign", "*self *other" },
  { "isclose", "*self *other rtol atol equal_nan" }, { "bitwise_left_shift", "*self *other" }, { "bitwise_right_shift", "*self *other" }, { "ger", "*self *vec2" }, { "cross", "*self *other dim" },
  { "linalg_cross", "*self *other dim" }, { "addbmm", "*self *batch1 *batch2 beta alpha" }, { "addr", "*self *vec1 *vec2 beta alpha" }, { "count_nonzero", "*self dim" },
  { "kthvalue", "*self k dim keepdim" }, { "median", "*self dim keepdim" }, { "aminmax", "*self dim keepdim" }, { "logcumsumexp", "*self dim" }, { "bucketize", "*self *boundaries out_int32 right" },
  { "isin", "*elements *test_elements assume_unique invert" },
  { "searchsorted", "*sorted_sequence *self out_int32 right side *sorter" }, { "linalg_det", "*self" }, { "_linalg_det", "*self" }, { "_linalg_check_errors", "*self api_name is_matrix" }, { "det", "*self" }, { "scatter_reduce", "*self dim *index *src reduce include_self" },
  { "_index_put_impl", "*self *indices *values accumulate unsafe" }, { "_unsafe_index_put", "*self *indices *values accumulate" }, { "_unsafe_index", "*self *indices" },
  { "index_add", "*self dim *index *source alpha" }, { "index_copy", "*self dim *index *source" }, { "index_fill", "*self dim *index *value" }, { "_reshape_alias", "*self size stride" },
  { "empty_strided", "size stride dtype layout device pin_memory" }, { "new_empty_strided", "*self size stride dtype layout device pin_memory" }, { "_cast_Float", "*self non_blocking" },
  { "_cast_Long", "*self non_blocking" },
  { "mse_loss", "*self *target reduction" }, { "l1_loss", "*self *target reduction" }, { "smooth_l1_loss", "*self *target reduction beta" }, { "huber_loss", "*self *target reduction delta" },
  { "pairwise_distance", "*x1 *x2 p eps keepdim" }, { "cdist", "*x1 *x2 p compute_mode" }, { "_cdist_forward", "*x1 *x2 p compute_mode" }, { "binary_cross_entropy", "*self *target *weight reduction" },
  { "binary_cross_entropy_with_logits", "*self *target *weight *pos_weight reduction" }, { "nll_loss", "*self *target *weight reduction ignore_index" },
  { "nll_loss_nd", "*self *target *weight reduction ignore_index" }, { "nll_loss2d", "*self *target *weight reduction ignore_index" },
  { "nll_loss_forward", "*self *target *weight reduction ignore_index" }, { "nll_loss2d_forward", "*self *target *weight reduction ignore_index" },
  { "cross_entropy_loss", "*self *target *weight reduction ignore_index label_smoothing" }, { "kl_div", "*self *target reduction log_target" },
  { "poisson_nll_loss", "*input *target log_in full eps reduction" }, { "threshold_backward", "*grad_output *self threshold" }, { "sigmoid_backward", "*grad_output *output" },
  { "tanh_backward", "*grad_output *output" }, { "leaky_relu_backward", "*grad_output *self negative_slope self_is_result" }, { "hardtanh_backward", "*grad_output *self min_val max_val" },
  { "softplus_backward", "*grad_output *self beta threshold" }, { "silu_backward", "*grad_output *self" }, { "gelu_backward", "*grad_output *self approximate" },
  { "_softmax_backward_data", "*grad_output *output dim input_dtype" }, { "_log_softmax_backward_data", "*grad_output *output dim input_dtype" },
  { "native_layer_norm_backward", "*grad_out *input normalized_shape *mean *rstd *weight *bias output_mask" },
  { "_unique2", "*self sorted return_inverse return_counts" }, { "_unique", "*self sorted return_inverse" }, { "unique_dim", "*self dim sorted return_inverse return_counts" },
  { "unique_consecutive", "*self return_inverse return_counts dim" }, { "mode", "*self dim keepdim" }, { "cummax", "*self dim" }, { "cummin", "*self dim" }, { "histc", "*self bins min max" },
  { "quantile", "*self *q dim keepdim interpolation" }, { "diff", "*self n dim *prepend *append" }, { "trapz", "*self *x dim dx" }, { "trapezoid", "*self *x dim dx" }, { "take_along_dim", "*self *indices dim" }, { "linalg_inv", "*self" }, { "linalg_inv_ex", "*self check_errors" }, { "inverse", "*self" },
  { "linalg_solve", "*self *other left" }, { "triangular_solve", "*self *other upper transpose unitriangular" }, { "linalg_solve_triangular", "*self *other upper left unitriangular" }, { "cholesky_solve", "*self *other upper" },
  { "linalg_cholesky", "*self upper" }, { "linalg_cholesky_ex", "*self upper check_errors" }, { "cholesky", "*self upper" }, { "linalg_slogdet", "*self" }, { "slogdet", "*self" }, { "logdet", "*self" },
  { "linalg_matrix_power", "*self n" }, { "matrix_power", "*self n" }, { "tensordot", "*self *other dims_self dims_other" }, { "kron", "*self *other" }, { "block_diag", "*tensors" },
  { "special_erfinv", "*self" }, { "special_gammaln", "*self" }, { "special_psi", "*self" }, { "special_digamma", "*self" },
  { "_pack_padded_sequence", "*input *lengths batch_first" }, { "_pad_packed_sequence", "*data *batch_sizes batch_first padding_value total_length" },
  { "_upsample_nearest_exact1d", "*input output_size scale_factors" }, { "_upsample_nearest_exact2d", "*input output_size scale_factors" }, { "_upsample_nearest_exact3d", "*input output_size scale_factors" },
  { "_upsample_bilinear2d_aa", "*input output_size align_corners scale_factors" }, { "_upsample_bicubic2d_aa", "*input output_size align_corners scale_factors" },
  { "margin_ranking_loss", "*input1 *input2 *target margin reduction" }, { "triplet_margin_loss", "*anchor *positive *negative margin p eps swap reduction" }, { "hinge_embedding_loss", "*self *target margin reduction" },
  { "soft_margin_loss", "*self *target reduction" }, { "multi_margin_loss", "*self *target p margin *weight reduction" }, { "cosine_embedding_loss", "*input1 *input2 *target margin reduction" },
  { "fft_fftshift", "*self dim" }, { "fft_ifftshift", "*self dim" }, { "fft_fft", "*self n dim norm" }, { "fft_ifft", "*self n dim norm" }, { "fft_rfft", "*self n dim norm" }, { "fft_irfft", "*self n dim norm" },
  { "fft_fft2", "*self s dim norm" }, { "fft_ifft2", "*self s dim norm" }, { "fft_rfft2", "*self s dim norm" }, { "fft_irfft2", "*self s dim norm" }, { "fft_fftn", "*self s dim norm" }, { "fft_ifftn", "*self s dim norm" },
  { "fft_rfftn", "*self s dim norm" }, { "fft_irfftn", "*self s dim norm" }, { "stft", "*self n_fft hop_length win_length *window normalized onesided return_complex" }, { "complex", "*real *imag" }, { "polar", "*abs *angle" },
  { "view_as_complex", "*self" }, { "view_as_real", "*self" }, { "real", "*self" }, { "imag", "*self" }, { "angle", "*self" }, { "conj", "*self" },
  { "ravel", "*self" }, { "mT", "*self" }, { "mH", "*self" }, { "adjoint", "*self" }, { "as_strided", "*self size stride storage_offset" },
  { "hsplit", "*self sections" }, { "vsplit", "*self sections" }, { "dsplit", "*self sections" }, { "argwhere", "*self" }, { "masked_scatter", "*self *mask *source" },
  { "diagflat", "*self offset" }, { "max_unpool2d", "*self *indices output_size" }, { "max_unpool3d", "*self *indices output_size stride padding" },
  { "inner", "*self *other" }, { "vdot", "*self *other" }, { "dist", "*self *other p" }, { "nansum", "*self dim keepdim dtype" }, { "nanmean", "*self dim keepdim dtype" },
  { "logaddexp2", "*self *other" }, { "renorm", "*self p dim maxnorm" }, { "logspace", "start end steps base dtype layout device pin_memory" },
  { "kaiser_window", "window_length periodic beta dtype layout device pin_memory" }, { "bartlett_window", "window_length periodic dtype layout device pin_memory" },
  { "rand", "size dtype layout device pin_memory" }, { "randn", "size dtype layout device pin_memory" }, { "rand_like", "*self dtype layout device pin_memory memory_format" },
  { "randn_like", "*self dtype layout device pin_memory memory_format" }, { "uniform", "*self from to generator" }, { "normal_", "*self mean std generator" }, { "normal_functional", "*self mean std generator" },
  { "bernoulli", "*self generator" },
  { "convolution_backward", "*grad_output *input *weight bias_sizes stride padding dilation transposed output_padding groups output_mask" },
  { "native_batch_norm_backward", "*grad_out *input *weight *running_mean *running_var *save_mean *save_invstd train eps output_mask" },
  { "max_pool2d_with_indices_backward", "*grad_output *self kernel_size stride padding dilation ceil_mode *indices" },
  { "max_pool3d_with_indices_backward", "*grad_output *self kernel_size stride padding dilation ceil_mode *indices" },
  { "avg_pool2d_backward", "*grad_output *self kernel_size stride padding ceil_mode count_include_pad divisor_override" },
  { "avg_pool3d_backward", "*grad_output *self kernel_size stride padding ceil_mode count_include_pad divisor_override" },
  { "_adaptive_avg_pool2d_backward", "*grad_output *self" }, { "_adaptive_avg_pool3d_backward", "*grad_output *self" },
  { "hardsigmoid_backward", "*grad_output *self" }, { "hardswish_backward", "*grad_output *self" }, { "log_sigmoid_backward", "*grad_output *self *buffer" },
  { "elu_backward", "*grad_output alpha scale input_scale is_result *self_or_result" }, { "native_dropout_backward", "*grad_output *mask scale" },
  { "mse_loss_backward", "*grad_output *self *target reduction" }, { "nll_loss_backward", "*grad_output *self *target *weight reduction ignore_index *total_weight" },
  { "nll_loss2d_backward", "*grad_output *self *target *weight reduction ignore_index *total_weight" },
  { "select_backward", "*grad_output input_sizes dim index" }, { "slice_backward", "*grad_output input_sizes dim start end step" },
  { "log_sigmoid_forward", "*self" },
  { "fft_fftfreq", "n d dtype layout device pin_memory" }, { "fft_rfftfreq", "n d dtype layout device pin_memory" }, { "istft", "*self n_fft hop_length win_length *window center normalized onesided length return_complex" }, { "as_tensor", "data dtype device" }, { "msort", "*self" }, { "cov", "*self correction *fweights *aweights" }, { "corrcoef", "*self" }, { "allclose", "*self *other rtol atol equal_nan" },
  { "equal", "*self *other" }, { "special_ndtr", "*self" }, { "special_xlog1py", "*self *other" },
  { "linalg_matrix_norm", "*self ord dim keepdim dtype" }, { "linalg_multi_dot", "*tensors" }, { "chain_matmul", "*tensors" }, { "pdist", "*self p" },
  { "diagonal_scatter", "*self *src offset dim1 dim2" },
  { "gcd", "*self *other" }, { "lcm", "*self *other" }, { "put", "*self *index *source accumulate" }, { "cartesian_prod", "*tensors" }, { "combinations", "*self r with_replacement" },
  { "vander", "*x N increasing" }, { "fill_diagonal", "*self fill_value wrap" },
  { "embedding_dense_backward", "*grad_output *indices num_weights padding_idx scale_grad_by_freq" },
};
/* clang-format on */

static const char one_tensor[]
    = " abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 floor isinf isnan isfinite log log10 log1p log2 logical_not bitwise_not neg reciprocal relu relu_ relu6 "
      "round rsqrt selu selu_ sigmoid sigmoid_ sign silu silu_ mish sin sinh sqrt square tan tanh tanh_ trunc hardsigmoid hardswish hardswish_ log_sigmoid softsign tanhshrink nonzero t "
      "add_ sub_ mul_ div_ item numel is_floating_point detach_ contiguous lift_fresh lift_fresh_copy long float double half int bool mT view_of cpu cuda resolve_conj resolve_neg deg2rad rad2deg fix masked "
      "ScalarImplicit IntImplicit __not__ positive cumulative sgn erfinv lgamma digamma signbit frac isposinf isneginf sinc special_entr nonzero_numpy i0 i0e i1 i1e data _conj conj_physical ";

const char *
ph_torch_signature (const char *op)
{
  g_autofree char *word = NULL;
  gsize n = strlen (op);

  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    if (g_str_equal (signatures[i].op, op))
      return signatures[i].names;
  word = g_strdup_printf (" %s ", op);
  if (strstr (one_tensor, word) != NULL)
    return g_str_has_prefix (op, "add_") || g_str_has_prefix (op, "sub_")   ? "*self *other alpha"
           : g_str_has_prefix (op, "mul_") || g_str_has_prefix (op, "div_") ? "*self *other"
                                                                            : "*self";
  if (n > 1 && op[n - 1] == '_' && !g_str_has_prefix (op, "__")) /* relu_: in place */
    {
      g_autofree char *base = g_strndup (op, n - 1);

      return base[0] != '\0' && base[n - 2] != '_' ? ph_torch_signature (base) : NULL;
    }
  return NULL;
}

const char *
ph_torch_other_name (const char *op)
{
  const char *plain = op + strlen ("special_");

  if (!g_str_has_prefix (op, "special_") || ph_torch_signature (op) != NULL)
    return op;
  if (g_str_equal (plain, "expit"))
    return "sigmoid";
  return ph_torch_signature (plain) != NULL ? plain : op;
}

/* Reads the dimensions in "2, s0, 16]..." up to @close. Returns FALSE if it is no such list. */
static gboolean
read_dims (const char **p, char close, PhDim *dims, guint *rank)
{
  *rank = 0;
  for (;;)
    {
      const char *start;
      char *end;
      gint64 size;

      while (**p == ' ' || **p == ',')
        ++*p;
      if (**p == close)
        {
          ++*p;
          return TRUE;
        }
      start = *p;
      for (guint depth = 0; **p != '\0' && (depth > 0 || (**p != ',' && **p != close)); ++*p)
        depth += **p == '(' ? 1 : **p == ')' ? -1u : 0;
      if (**p == '\0' || *rank >= PH_MAX_RANK || *p == start)
        return FALSE;
      size = g_ascii_strtoll (start, &end, 10);
      if (memchr (start, '=', (gsize) (*p - start)) != NULL) /* strides=[...] and further keywords */
        {
          *p += strlen (*p);
          return TRUE;
        }
      if (end == *p && size >= 0)
        dims[(*rank)++] = PH_DIM (size);
      else
        {
          g_autofree char *text = g_strndup (start, (gsize) (*p - start));

          dims[(*rank)++] = *text == '*' || *text == '?' || !g_utf8_validate (text, -1, NULL) ? PH_DIM_UNKNOWN
                                                                                              : ph_dim_symbol (ph_intern (text));
        }
    }
}

const PhType *
ph_torch_fx_type (const char *text)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } names[] = {
    { "f32[", PH_FLOAT }, { "f64[", PH_DOUBLE }, { "f16[", PH_FLOAT16 }, { "bf16[", PH_BFLOAT16 }, { "i64[", PH_INT64 }, { "i32[", PH_INT32 }, { "i16[", PH_INT16 }, { "i8[", PH_INT8 },
    { "u8[", PH_UINT8 }, { "u16[", PH_UINT16 }, { "u32[", PH_UINT32 }, { "u64[", PH_UINT64 }, { "b8[", PH_BOOL }, { "c64[", PH_COMPLEX64 }, { "c128[", PH_COMPLEX128 },
    { "f8e4m3fn[", PH_FLOAT8E4M3FN }, { "f8e5m2[", PH_FLOAT8E5M2 },
  };
  /* clang-format on */
  PhDim dims[PH_MAX_RANK];
  guint rank;

  if (g_str_has_prefix (text, "Sym("))
    return ph_type_tensor (PH_INT64, 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (text, names[i].name))
      {
        const char *p = text + strlen (names[i].name);

        return read_dims (&p, ']', dims, &rank) ? ph_type_tensor (names[i].dtype, rank, dims) : NULL;
      }
  return NULL;
}

const PhType *
ph_torch_script_type (const char *text)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } names[] = {
    { "Float", PH_FLOAT }, { "Double", PH_DOUBLE }, { "Half", PH_FLOAT16 }, { "BFloat16", PH_BFLOAT16 }, { "Long", PH_INT64 }, { "Int", PH_INT32 }, { "Short", PH_INT16 },
    { "Char", PH_INT8 }, { "Byte", PH_UINT8 }, { "Bool", PH_BOOL }, { "QInt8", PH_INT8 }, { "QUInt8", PH_UINT8 },
  };
  /* clang-format on */
  PhDim dims[PH_MAX_RANK];
  guint rank;

  if (g_str_equal (text, "int"))
    return ph_type_tensor (PH_INT64, 0, NULL);
  if (g_str_equal (text, "bool"))
    return ph_type_tensor (PH_BOOL, 0, NULL);
  if (g_str_equal (text, "float"))
    return ph_type_tensor (PH_DOUBLE, 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const gsize n = strlen (names[i].name);

      if (strncmp (text, names[i].name, n) == 0 && text[n] == '(')
        {
          const char *p = text + n + 1;

          return read_dims (&p, ')', dims, &rank) ? ph_type_tensor (names[i].dtype, rank, dims) : NULL;
        }
      if (g_str_equal (text, names[i].name))
        return ph_type_unranked (names[i].dtype);
    }
  return NULL;
}
