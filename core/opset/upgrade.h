/* upgrade.h: a model of an older opset, brought to the newest version of its operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"
#include "core/ops/facts.h"

G_BEGIN_DECLS

/* Recorded as a step of @history (nullable), and typed. An error leaves the model as it was. */
gboolean ph_model_upgrade (PhModel *model, PhHistory *history, GCancellable *cancellable, GError **error);
/* Whether that does more than change the version that the model imports. */
gboolean ph_upgrade_changes_nodes (PhModel *model);

/* Each rewrite is told to whoever records it. */
typedef struct
{
  gboolean (*begin) (gpointer data, const char *rule, PhNode *node, const char *why); /* FALSE: it is not to be */
  void (*end) (gpointer data);
  void (*abort) (gpointer data);
  gboolean (*stopped) (gpointer data);
  gpointer data;
} PhUpgradeJournal;

/* @keep_opset: the form of the operators only, the file's opset stays. */
gboolean ph_model_upgrade_by (PhModel *model, const PhUpgradeJournal *journal, gboolean keep_opset, GError **error);

/* What upgrades are written with. */
typedef struct
{
  PhModel *model;
  PhNode *node;
  int opset;   /* of the model before */
  PhBuilder b; /* builds before @node */
} PhUpgrade;

/* Returns with @u->b.error set when the node cannot be upgraded. Does nothing where the node needs nothing. */
typedef void (*PhUpgradeFunc) (PhUpgrade *u);

void ph_upgrade_refuse (PhUpgrade *u, const char *format, ...) G_GNUC_PRINTF (2, 3);
PhDType ph_upgrade_dtype (const PhValue *value);                         /* PH_FLOAT: unknown        */
void ph_upgrade_set_attr (PhUpgrade *u, const char *name, PhAttr *attr); /* consumes; NULL removes   */
/* Consumes @tensor. "" inputs fill the gap before @index. */
void ph_upgrade_set_constant (PhUpgrade *u, guint index, const char *suffix, PhTensor *tensor);
void ph_upgrade_replace (PhUpgrade *u, PhValue *value); /* the whole node gives way */
gboolean ph_upgrade_reads_outputs (const PhNode *node, guint from);

/* upgrade-inputs.c */
void ph_upgrade_axes_become_input (PhUpgrade *u);
void ph_upgrade_reshape_shape (PhUpgrade *u);
void ph_upgrade_pad_inputs (PhUpgrade *u);
void ph_upgrade_slice_inputs (PhUpgrade *u);
void ph_upgrade_split_input (PhUpgrade *u);
void ph_upgrade_clip_inputs (PhUpgrade *u);
void ph_upgrade_topk_k (PhUpgrade *u);
void ph_upgrade_dropout_ratio (PhUpgrade *u);
void ph_upgrade_tile_repeats (PhUpgrade *u);
void ph_upgrade_dft_axis (PhUpgrade *u);
/* upgrade-sampling.c */
void ph_upgrade_upsample (PhUpgrade *u);
void ph_upgrade_resize_10 (PhUpgrade *u);
void ph_upgrade_resize_11 (PhUpgrade *u);
void ph_upgrade_grid_sample_modes (PhUpgrade *u);
void ph_upgrade_roi_align_pixels (PhUpgrade *u);
/* upgrade-defaults.c */
void ph_upgrade_drop_consumed_inputs (PhUpgrade *u);
void ph_upgrade_gemm_broadcast (PhUpgrade *u);
void ph_upgrade_cast_to_name (PhUpgrade *u);
void ph_upgrade_concat_axis (PhUpgrade *u);
void ph_upgrade_pad_paddings (PhUpgrade *u);
void ph_upgrade_split_num_outputs (PhUpgrade *u);
void ph_upgrade_lp_pool_p (PhUpgrade *u);
void ph_upgrade_selu_defaults (PhUpgrade *u);
void ph_upgrade_recurrent_output_sequence (PhUpgrade *u);
void ph_upgrade_batch_normalization (PhUpgrade *u);
void ph_upgrade_scatter (PhUpgrade *u);
/* upgrade-shapes.c */
void ph_upgrade_legacy_broadcast (PhUpgrade *u);
void ph_upgrade_prelu_slope (PhUpgrade *u);
void ph_upgrade_softmax_matrix (PhUpgrade *u);
void ph_upgrade_group_normalization (PhUpgrade *u);
/* upgrade-experimental.c */
void ph_upgrade_affine (PhUpgrade *u);
void ph_upgrade_scaled_tanh (PhUpgrade *u);
void ph_upgrade_parametric_softplus (PhUpgrade *u);
void ph_upgrade_image_scaler (PhUpgrade *u);
void ph_upgrade_crop (PhUpgrade *u);
void ph_upgrade_dynamic_slice (PhUpgrade *u);
/* upgrade-scan.c */
void ph_upgrade_scan_8 (PhUpgrade *u);

G_END_DECLS
