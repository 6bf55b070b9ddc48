/* microsoft.h: what the operators of com.microsoft, which ONNX Runtime's optimiser and exporters write, share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/expand.h"

G_BEGIN_DECLS

/* name, domain, since; the C name of its declaration is ph_op_Ms and its name. */
#define PH_MS(name_) .name = name_, .domain = "com.microsoft", .since = 1
/* It is executed, typed and counted as what it means. */
#define PH_SPELT_OUT(function_) .expand = function_, .infer = ph_infer_expanded, .flops = ph_flops_expanded

#define PH_MS_ACTIVATIONS \
  "Relu|Tanh|Sigmoid|Softplus|Softsign|Gelu|LeakyRelu|Elu|Selu|ThresholdedRelu|HardSigmoid|HardSwish|Clip|"

/* clang-format off */
#define PH_MS_CONV_ATTRS                                                                                               \
  PH_AUTO_PAD, { "dilations", PH_ATTR_INTS }, { "group", PH_ATTR_INT, "1" },         \
  { "kernel_shape", PH_ATTR_INTS }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS }
/* clang-format on */

/* A number of @like's element type. */
PhValue *ph_ms_number (PhBuilder *b, PhValue *like, double number);
PhValue *ph_ms_transpose (PhBuilder *b, PhValue *value, const gint64 *perm, gsize n);
PhValue *ph_ms_reshape (PhBuilder *b, PhValue *value, const gint64 *dims, gsize n); /* 0 copies, -1 follows */
PhValue *ph_ms_cast (PhBuilder *b, PhValue *value, PhDType dtype);
/* @value by the activation @name ("", "Relu", ...) with its parameters; NULL with the builder's error for an unknown one. */
PhValue *ph_ms_activate (PhExpand *x, PhValue *value, const char *name, const float *parameters, gsize n);
/* The attributes of the node but @but (NULL-terminated names, nullable). NULL-terminated, for PH_BUILD_WITH. (transfer full) */
PhAttr **ph_ms_attrs (PhExpand *x, const char *const *but);

G_END_DECLS
