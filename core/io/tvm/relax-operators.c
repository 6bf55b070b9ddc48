/* relax-operators.c: the properties of Relax's operators that reading a call requires.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tvm/script.h"

/* The parameter names of Relax's operators (tvm/relax/op): positional and keyword arguments become the same attributes. */
/* clang-format off */
static const struct { const char *op, *names; } signatures[] = {
  { "astype", "x dtype" }, { "permute_dims", "x axes" }, { "reshape", "x shape" }, { "expand_dims", "x axis" }, { "squeeze", "x axis" }, { "flatten", "x" },
  { "concat", "tensors axis" }, { "split", "x indices_or_sections axis" }, { "stack", "tensors axis" }, { "broadcast_to", "x shape" }, { "layout_transform", "x index_map pad_value" },
  { "sum", "x axis keepdims" }, { "mean", "x axis keepdims" }, { "max", "x axis keepdims" }, { "min", "x axis keepdims" }, { "prod", "x axis keepdims" },
  { "std", "x axis keepdims" }, { "variance", "x axis keepdims" }, { "argmax", "x axis keepdims" }, { "argmin", "x axis keepdims" }, { "cumsum", "data axis dtype exclusive" },
  { "cumprod", "data axis dtype exclusive" }, { "matmul", "x1 x2 out_dtype" }, { "linear", "data weight bias out_dtype" }, { "einsum", "operands subscripts" },
  { "nn.softmax", "data axis" }, { "nn.log_softmax", "data axis" }, { "nn.leakyrelu", "data alpha" }, { "nn.gelu", "data" }, { "nn.prelu", "data alpha axis" },
  { "nn.conv1d", "data weight strides padding dilation groups data_layout kernel_layout out_layout out_dtype" },
  { "nn.conv2d", "data weight strides padding dilation groups data_layout kernel_layout out_layout out_dtype" },
  { "nn.conv3d", "data weight strides padding dilation groups data_layout kernel_layout out_layout out_dtype" },
  { "nn.conv2d_transpose", "data weight strides padding output_padding dilation groups data_layout kernel_layout out_layout out_dtype" },
  { "nn.conv1d_transpose", "data weight strides padding output_padding dilation groups data_layout kernel_layout out_layout out_dtype" },
  { "nn.max_pool2d", "data pool_size strides padding dilation ceil_mode count_include_pad layout out_layout" },
  { "nn.avg_pool2d", "data pool_size strides padding dilation ceil_mode count_include_pad layout out_layout" },
  { "nn.adaptive_avg_pool2d", "data output_size layout out_layout" }, { "nn.dropout", "data rate" }, { "nn.pad", "data pad_width pad_value pad_mode" },
  { "nn.batch_norm", "data gamma beta moving_mean moving_var axis epsilon center scale momentum training" },
  { "nn.layer_norm", "data gamma beta axes epsilon center scale" }, { "nn.group_norm", "data gamma beta num_groups channel_axis axes epsilon center scale" },
  { "nn.instance_norm", "data gamma beta channel_axis axes epsilon center scale" }, { "nn.rms_norm", "data weight axes epsilon" },
  { "nn.attention", "query key value bias scale causal_mask window_size" }, { "take", "x indices axis mode" }, { "strided_slice", "x axes begin end strides assume_inbound" },
  { "full", "shape fill_value dtype" }, { "full_like", "x fill_value dtype" }, { "zeros", "shape dtype" }, { "ones", "shape dtype" }, { "zeros_like", "x dtype" },
  { "ones_like", "x dtype" }, { "arange", "start end step dtype" }, { "tril", "x k" }, { "triu", "x k" }, { "clip", "x min max" }, { "repeat", "data repeats axis" },
  { "tile", "data repeats" }, { "flip", "data axis" }, { "gather_elements", "data indices axis" }, { "scatter_elements", "data indices updates axis reduction" },
  { "one_hot", "indices on_value off_value depth axis" }, { "topk", "data k axis ret_type largest dtype" }, { "sort", "x axis descending" }, { "argsort", "data axis descending dtype" },
  { "image.resize2d", "data size roi layout method coordinate_transformation_mode rounding_method cubic_alpha cubic_exclude extrapolation_value out_dtype" },
  { "call_packed", "func" }, { "call_pure_packed", "func" }, { "call_dps_packed", "func args" }, { "call_tir", "gvar args out_ty tir_vars" },
  { "call_tir_inplace", "gvar args inplace_indices out_ty tir_vars" }, { "call_tir_with_grad", "gvar args out_ty te_grad_name te_grad_kwargs" }, { "match_cast", "value ty" },
  { "builtin.alloc_tensor", "shape dtype runtime_device_index storage_scope" }, { "memory.alloc_storage", "size virtual_device_index storage_scope dtype" },
  { "memory.alloc_tensor", "storage offset shape dtype runtime_device_index" }, { "dtype", "value" }, { "str", "value" }, { "shape", "value" }, { "prim_value", "value" },
  { "hint_on_device", "data dst_vdevice" }, { "to_vdevice", "data dst_vdevice" }, { "multinomial_from_uniform", "prob uniform_sample sample_indices dtype" },
};
/* clang-format on */

const char *
ph_tvm_relax_signature (const char *op)
{
  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    if (g_str_equal (signatures[i].op, op))
      return signatures[i].names;
  return NULL;
}

gboolean
ph_tvm_relax_has_effect (const char *op)
{
  static const char *const names[] = { "call_packed",     "call_inplace_packed", "call_builtin_with_ctx", "print",
                                       "assert_op",       "memory.kill_tensor",  "memory.kill_storage",   "vm.kill_object",
                                       "vm.call_tir_dyn", "invoke_closure",      "call_tir_inplace",      NULL };

  return g_strv_contains (names, op);
}
