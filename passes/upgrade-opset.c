/* upgrade-opset.c: brings a model of an older opset to the newest one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/upgrade.h"

#include "core/ops/infer.h"

/* Operators are declared at their newest version only, so this and what it calls are the one place that knows older ones.
 * Nodes are visited in program order and typed as they become new, for some upgrades depend on ranks. Where it can, an
 * upgrade edits the node in place, so that a diff says "changed". */

#define OLD_DEFAULT_OPSET 1

/* By version, so that a node climbs through its versions in order. Operators separated by spaces, "*": any; the opset that
 * brought the change; what makes it. */
#define UPGRADES(UPGRADE) \
  UPGRADE ("lp-pool-p", "LpPool GlobalLpPool", 2, lp_pool_p, \
           "The order of the norm became an integer.") \
  UPGRADE ("pad-paddings", "Pad", 2, pad_paddings, \
           "paddings was renamed to pads.") \
  UPGRADE ("concat-axis", "Concat", 4, concat_axis, \
           "The axis was 1 where none was given.") \
  UPGRADE ("reshape-shape", "Reshape", 5, reshape_shape, \
           "The shape became an input, so that it can be computed.") \
  UPGRADE ("consumed-inputs", "*", 6, drop_consumed_inputs, \
           "Memory planning is no longer written into the model.") \
  UPGRADE ("cast-to", "Cast", 6, cast_to_name, \
           "Element types are numbered instead of named.") \
  UPGRADE ("tile-repeats", "Tile", 6, tile_repeats, \
           "One count for each axis, instead of one axis and its count.") \
  UPGRADE ("selu-defaults", "Selu", 6, selu_defaults, \
           "The constants had fewer digits.") \
  UPGRADE ("broadcast", "Add Sub Mul Div Pow And Or Xor Equal Less Greater", 7, legacy_broadcast, \
           "Broadcasting became numpy's; an operand that was aligned at an axis gets the trailing dimensions that this needs.") \
  UPGRADE ("gemm-broadcast", "Gemm", 7, gemm_broadcast, \
           "Gemm always broadcasts its bias now.") \
  UPGRADE ("prelu-slope", "PRelu", 7, prelu_slope, \
           "A slope per channel needs trailing dimensions to broadcast.") \
  UPGRADE ("recurrent-output", "RNN GRU LSTM", 7, recurrent_output_sequence, \
           "Which outputs are wanted follows from which are used.") \
  UPGRADE ("scan-batch", "Scan", 9, scan_8, \
           "Scan lost its batch dimension: a Scan over the batch takes its place.") \
  UPGRADE ("upsample-resize", "Upsample", 10, upsample, \
           "Upsample became a case of Resize.") \
  UPGRADE ("slice-inputs", "Slice", 10, slice_inputs, \
           "Where to slice became inputs, so that it can be computed.") \
  UPGRADE ("topk-k", "TopK", 10, topk_k, \
           "k became an input, so that it can be computed.") \
  UPGRADE ("resize-modes", "Resize", 11, resize_10, \
           "How coordinates are mapped and rounded is now said.") \
  UPGRADE ("clip-inputs", "Clip", 11, clip_inputs, \
           "The bounds became inputs, so that they can be computed.") \
  UPGRADE ("pad-inputs", "Pad", 11, pad_inputs, \
           "The padding became an input, so that it can be computed.") \
  UPGRADE ("scatter-elements", "Scatter", 11, scatter, \
           "Scatter was renamed when ScatterND came.") \
  UPGRADE ("dropout-ratio", "Dropout", 12, dropout_ratio, \
           "The ratio became an input, and training is asked for.") \
  UPGRADE ("axes-input", "Squeeze Unsqueeze ReduceSum", 13, axes_become_input, \
           "The axes became an input, so that they can be computed.") \
  UPGRADE ("split-input", "Split", 13, split_input, \
           "The lengths became an input, so that they can be computed.") \
  UPGRADE ("softmax-axis", "Softmax LogSoftmax Hardmax", 13, softmax_matrix, \
           "The input was seen as a matrix, cut at the axis; now one axis is normalised, so the matrix has to be made where they differ.") \
  UPGRADE ("resize-optional", "Resize", 13, resize_11, \
           "What is not given is left out, instead of an empty tensor.") \
  UPGRADE ("batch-normalization", "BatchNormalization", 14, batch_normalization, \
           "Inference is the only mode without training_mode.") \
  UPGRADE ("roi-align-pixels", "RoiAlign", 16, roi_align_pixels, \
           "The default became half pixels; before there was no offset.") \
  UPGRADE ("reduce-axes-input", "ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", 18, axes_become_input, \
           "The axes became an input, so that they can be computed.") \
  UPGRADE ("split-num-outputs", "Split", 18, split_num_outputs, \
           "Equal parts have to be counted.") \
  UPGRADE ("grid-sample-modes", "GridSample", 20, grid_sample_modes, \
           "The modes lost their bi-, for there are more dimensions than two.") \
  UPGRADE ("dft-axis", "DFT", 20, dft_axis, \
           "The axis became an input, so that it can be computed.") \
  UPGRADE ("group-normalization", "GroupNormalization", 21, group_normalization, \
           "Scale and bias are per channel, instead of per group.") \
  UPGRADE ("affine", "Affine", 23, affine, \
           "An operator on trial that ONNX took back: a product and a sum.") \
  UPGRADE ("scaled-tanh", "ScaledTanh", 23, scaled_tanh, \
           "An operator on trial that ONNX took back: Tanh between two products.") \
  UPGRADE ("parametric-softplus", "ParametricSoftplus", 23, parametric_softplus, \
           "An operator on trial that ONNX took back: Softplus between two products.") \
  UPGRADE ("image-scaler", "ImageScaler", 23, image_scaler, \
           "An operator on trial that ONNX took back: a product, and a sum for each channel.") \
  UPGRADE ("crop", "Crop", 23, crop, \
           "An operator on trial that ONNX took back: a Slice of height and width.") \
  UPGRADE ("dynamic-slice", "DynamicSlice", 23, dynamic_slice, \
           "An operator on trial that became Slice.")

typedef struct { const char *rule, *ops; int below; PhUpgradeFunc func; const char *why; } UpgradeRow;

#define UPGRADE_ROW(name_, ops_, below_, func_, why_)  { name_, ops_, below_, ph_upgrade_##func_, why_ },
#define UPGRADE_RULE(name_, ops_, below_, func_, why_) \
  { .name = name_, .matches = ops_ " before opset " #below_, .becomes = "its newest version", .why = why_ },

static const UpgradeRow upgrades[] = { UPGRADES (UPGRADE_ROW) };
static const PhRule     rules[] = {
  UPGRADES (UPGRADE_RULE)
  { .name = "set-opset", .matches = "the model", .becomes = "the model at the newest opset",
    .why = "Every operator is at its newest version now." },
};

static gboolean
is_named (const char *names, const char *name)
{
  gsize n = strlen (name);

  for (const char *p = names; (p = strstr (p, name)) != NULL; p += n)
    if ((p == names || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
      return TRUE;
  return FALSE;
}

/* Types what is untyped, which nothing from a file is: later upgrades look at ranks. */
static void
infer_types (PhPassRun *run, PhNode *node)
{
  gboolean untyped = FALSE;

  for (guint i = 0; i < node->outputs->len; i++)
    untyped |= ((PhValue *) g_ptr_array_index (node->outputs, i))->type == NULL;
  if (node->op == NULL || !untyped || !ph_pass_begin (run, "infer-types", node, "Some upgrades depend on ranks."))
    return;
  if (ph_infer_one (node, NULL))
    ph_pass_end (run);
  else
    ph_pass_abort (run);
}

static gboolean
upgrade_node (PhPassRun *run, PhId id, int opset, GError **error)
{
  PhNode *node = ph_model_find_node (run->model, id);

  if (node != NULL && node->outputs->len == 0)      /* it computes nothing, whatever its form */
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (upgrades) && node != NULL && *node->domain == '\0'; i++)
    {
      const UpgradeRow *rule = &upgrades[i];
      PhUpgrade u = { .run = run, .node = node, .opset = opset };

      if (opset >= rule->below || (*rule->ops != '*' && !is_named (rule->ops, node->op_type)))
        continue;
      if (!ph_pass_begin (run, rule->rule, node, rule->why))
        return TRUE;
      u.b = (PhBuilder) { .graph = node->graph, .before = node, .name = ph_node_output (node, 0)->name,
                          .role = node->role, .partner = node->partner, .device = node->device };
      rule->func (&u);
      if (!ph_builder_finish (&u.b, error))
        {
          ph_pass_abort (run);
          return FALSE;
        }
      ph_pass_end (run);
      node = ph_model_find_node (run->model, id);
    }
  if (node != NULL)
    infer_types (run, node);
  return TRUE;
}

static gboolean
has_upgrade (const char *op_type, int opset)
{
  for (guint i = 0; i < G_N_ELEMENTS (upgrades); i++)
    if (opset < upgrades[i].below && (*upgrades[i].ops == '*' || is_named (upgrades[i].ops, op_type)))
      return TRUE;
  return FALSE;
}

static gboolean
graph_has_upgrade (const PhGraph *graph, int opset, GHashTable *clean)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (graph_has_upgrade (node->graphs->pdata[i], opset, clean))
          return TRUE;
      if (*node->domain != '\0' || g_hash_table_contains (clean, node->op_type))
        continue;
      if (has_upgrade (node->op_type, opset))
        return TRUE;
      g_hash_table_add (clean, (gpointer) node->op_type);
    }
  return FALSE;
}

gboolean
ph_upgrade_changes_nodes (PhModel *model)
{
  g_autoptr(GHashTable) clean = g_hash_table_new (NULL, NULL);
  int opset = ph_model_opset (model, "");

  return opset < PH_OPSET_NEWEST && graph_has_upgrade (model->graph, MAX (opset, OLD_DEFAULT_OPSET), clean);
}

/* The nodes of @graph and of its bodies, those of fused nodes among them: they are at the opset of the model as well. */
static void
collect_nodes (const PhGraph *graph, GArray *ids)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        collect_nodes (node->graphs->pdata[i], ids);
      g_array_append_val (ids, node->id);
    }
}

static gboolean
upgrade_opset (PhPassRun *run, GError **error)
{
  int opset = ph_model_opset (run->model, "");
  g_autoptr(GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  if (opset >= PH_OPSET_NEWEST && ph_model_opset (run->model, PH_FILE_OPSET) > 0 && !run->options->keep_opset &&
      ph_pass_begin (run, "set-opset", NULL, "Every operator is at its newest version already, and the file leaves so too."))
    {
      ph_model_set_opset (run->model, PH_FILE_OPSET, 0);
      ph_pass_end (run);
    }
  if (opset >= PH_OPSET_NEWEST || (opset == 0 && run->model->graph->n_nodes == 0))
    return TRUE;
  opset = MAX (opset, OLD_DEFAULT_OPSET);

  collect_nodes (run->model->graph, ids);
  for (guint i = 0; i < ids->len && !run->stopped; i++)
    if (!upgrade_node (run, g_array_index (ids, PhId, i), opset, error))
      return FALSE;

  if (ph_pass_begin (run, "set-opset", NULL, run->options->keep_opset
                     ? "Every operator is in its newest form now, which the passes know; the file keeps its opset."
                     : "Every operator is at its newest version now."))
    {
      if (run->options->keep_opset)
        ph_model_set_opset (run->model, PH_FILE_OPSET, opset);
      ph_model_set_opset (run->model, "", PH_OPSET_NEWEST);
      ph_pass_end (run);
    }
  return TRUE;
}

const PhPass ph_pass_upgrade_opset = {
  .name = "upgrade-opset", .group = "upgrade", .summary = "Brings operators of older opsets to their newest version",
  .keeps_values = TRUE,
  .elsewhere = "onnx version_converter",
  .trap = "an attribute that became an input (axes, pads, ratio), a default that moved (Softmax's axis at 13), a "
          "meaning that changed (BatchNormalization at 14).",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = upgrade_opset, .exactness = PH_EXACT,
};
