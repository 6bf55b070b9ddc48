/* lower.h: an operator in its newest form, brought back to the form of an older opset. Private to core/opset.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/facts.h"

G_BEGIN_DECLS

typedef struct
{
  PhModel *model;
  PhNode *node;
  int opset;     /* that is asked for                              */
  int row;       /* the form to be left behind came with this one  */
  gboolean own;  /* the file came at @opset or an older one        */
  PhBuilder b;   /* builds before @node                            */
  char *refusal; /* (nullable) owned: why there is no exact equal  */
} PhLower;

/* Either changes the node or refuses; does nothing where the node has the older form too. */
typedef void (*PhLowerFunc) (PhLower *l);

void ph_lower_refuse (PhLower *l, const char *format, ...) G_GNUC_PRINTF (2, 3);
PhTensor *ph_lower_constant (PhLower *l, guint index); /* (nullable) of input @index, seen through a fused body's border */
/* The elements of a constant integer input. FALSE: there is none, or the node is refused because it is computed. */
gboolean ph_lower_ints (PhLower *l, guint index, gint64 **values, gsize *n);
void ph_lower_drop_input (PhLower *l, guint index); /* and the constant that nobody else reads */
void ph_lower_set_input (PhLower *l, guint index, PhValue *value);
void ph_lower_set_attr (PhLower *l, const char *name, PhAttr *attr); /* consumes; NULL removes */
void ph_lower_replace (PhLower *l, PhValue *value);                  /* the whole node gives way */
/* An operator that is no longer declared, or has more outputs than now, takes the node's place; its first output stands for the
 * node's. Consumes @attrs. */
void ph_lower_become (PhLower *l, const char *op_type, PhValue *const *inputs, guint n_inputs, guint n_outputs, PhAttr **attrs);

/* lower-inputs.c */
void ph_lower_axes_to_attr (PhLower *l);
void ph_lower_split_to_attr (PhLower *l);
void ph_lower_split_num_outputs (PhLower *l);
void ph_lower_slice_to_attrs (PhLower *l);
void ph_lower_clip_to_attrs (PhLower *l);
void ph_lower_pad_axes (PhLower *l);
void ph_lower_pad_to_attrs (PhLower *l);
void ph_lower_topk_to_attr (PhLower *l);
void ph_lower_dropout_to_attr (PhLower *l);
void ph_lower_dft_axis (PhLower *l);
void ph_lower_reshape_to_attr (PhLower *l);
void ph_lower_tile_to_axis (PhLower *l);
/* lower-meaning.c */
void ph_lower_softmax_matrix (PhLower *l);
void ph_lower_negative_axis (PhLower *l);
void ph_lower_gather_indices (PhLower *l);
void ph_lower_scatter_reduction (PhLower *l);
void ph_lower_scatter (PhLower *l);
void ph_lower_pad_wrap (PhLower *l);
void ph_lower_roi_align_pixels (PhLower *l);
void ph_lower_same_types (PhLower *l);
void ph_lower_training_mode (PhLower *l);
void ph_lower_quantize_axis (PhLower *l);
void ph_lower_constant_value (PhLower *l);
void ph_lower_gemm_bias (PhLower *l);
void ph_lower_shape_range (PhLower *l);
void ph_lower_grid_sample_modes (PhLower *l);
void ph_lower_scan_batch (PhLower *l);
/* lower-sampling.c */
void ph_lower_resize_modes (PhLower *l);
void ph_lower_resize_inputs (PhLower *l);
void ph_lower_resize_10 (PhLower *l);
void ph_lower_resize_to_upsample (PhLower *l);
void ph_lower_upsample_to_attr (PhLower *l);
void ph_lower_upsample_1 (PhLower *l);
/* lower-oldest.c: opsets up to 7 */
void ph_lower_same_shapes (PhLower *l);
void ph_lower_broadcast (PhLower *l);
void ph_lower_gemm_broadcast (PhLower *l);
void ph_lower_prelu_slope (PhLower *l);
void ph_lower_is_test (PhLower *l);
void ph_lower_output_sequence (PhLower *l);
void ph_lower_cast_to_name (PhLower *l);
void ph_lower_selu_defaults (PhLower *l);
void ph_lower_consumed_inputs (PhLower *l);
void ph_lower_lp_pool_p (PhLower *l);
void ph_lower_pad_paddings (PhLower *l);

G_END_DECLS
