/* lower.c: converts a model in the newest form to an older opset, if the conversion is exact.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/lower.h"

#include "core/opset/named.h"
#include "core/opset/opset.h"

/* The inverse of upgrade-opset.c: rows by version, newest first, so that a node passes down through its versions in order. The table of
 * versions then decides about the result. */
typedef struct
{
  int below;
  const char *ops;
  PhLowerFunc func;
} LowerRow;

#define AXIS_OPS                                                                                                                          \
  "ArgMax ArgMin Compress Concat Flatten GatherElements Gather Hardmax LogSoftmax OneHot ReduceL1 ReduceL2 ReduceLogSum "                 \
  "ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare ScatterElements Slice Softmax Split Squeeze TopK " \
  "Unsqueeze"

/* clang-format off */
static const LowerRow rows[] = {
  { 20, "GridSample", ph_lower_grid_sample_modes },
  { 20, "DFT", ph_lower_dft_axis },
  { 19, "Resize", ph_lower_resize_modes },
  { 19, "Pad", ph_lower_pad_wrap },
  { 18, "ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", ph_lower_axes_to_attr },
  { 18, "Split", ph_lower_split_num_outputs },
  { 18, "Pad", ph_lower_pad_axes },
  { 18, "ScatterElements ScatterND", ph_lower_scatter_reduction },
  { 16, "RoiAlign", ph_lower_roi_align_pixels },
  { 15, "BatchNormalization", ph_lower_same_types },
  { 14, "BatchNormalization", ph_lower_training_mode },
  { 15, "Shape", ph_lower_shape_range },
  { 13, "Squeeze Unsqueeze ReduceSum", ph_lower_axes_to_attr },
  { 13, "Split", ph_lower_split_to_attr },
  { 13, "Softmax LogSoftmax Hardmax", ph_lower_softmax_matrix },
  { 13, "Resize", ph_lower_resize_inputs },
  { 13, "QuantizeLinear DequantizeLinear", ph_lower_quantize_axis },
  { 12, "Dropout", ph_lower_dropout_to_attr },
  { 12, "Constant", ph_lower_constant_value },
  { 12, "Pow", ph_lower_same_types },
  { 11, "Clip", ph_lower_clip_to_attrs },
  { 11, "Pad", ph_lower_pad_to_attrs },
  { 11, "Resize", ph_lower_resize_10 },
  { 11, AXIS_OPS, ph_lower_negative_axis },
  { 11, "ScatterElements", ph_lower_scatter },
  { 11, "Gemm", ph_lower_gemm_bias },
  { 11, "Gather", ph_lower_gather_indices },
  { 10, "Slice", ph_lower_slice_to_attrs },
  { 10, "TopK", ph_lower_topk_to_attr },
  { 10, "Resize", ph_lower_resize_to_upsample },
  { 9, "Upsample", ph_lower_upsample_to_attr },
  { 9, "Scan", ph_lower_scan_batch },
  { 8, "Max Min Sum Mean", ph_lower_same_shapes },
  { 7, "Upsample", ph_lower_upsample_1 },
  { 7, "Add Sub Mul Div Pow And Or Xor Equal Less Greater", ph_lower_broadcast },
  { 7, "Gemm", ph_lower_gemm_broadcast },
  { 7, "PRelu", ph_lower_prelu_slope },
  { 7, "BatchNormalization Dropout", ph_lower_is_test },
  { 7, "RNN GRU LSTM", ph_lower_output_sequence },
  { 6, "Cast", ph_lower_cast_to_name },
  { 6, "Tile", ph_lower_tile_to_axis },
  { 6, "Selu", ph_lower_selu_defaults },
  { 6, "BatchNormalization", ph_lower_consumed_inputs },
  { 5, "Reshape", ph_lower_reshape_to_attr },
  { 2, "LpPool GlobalLpPool", ph_lower_lp_pool_p },
  { 2, "Pad", ph_lower_pad_paddings },
};
/* clang-format on */

/* ── helpers of the lowering functions ── */

void
ph_lower_refuse (PhLower *l, const char *format, ...)
{
  va_list args;

  if (l->refusal != NULL)
    return;
  va_start (args, format);
  l->refusal = g_strdup_vprintf (format, args);
  va_end (args);
}

PhTensor *
ph_lower_constant (PhLower *l, guint index)
{
  const PhValue *value = ph_node_input (l->node, index);

  while (value != NULL && value->is_input && value->graph->owner != NULL && ph_node_is_fused (value->graph->owner))
    {
      guint i = 0;

      while (i < value->graph->inputs->len && value->graph->inputs->pdata[i] != value)
        i++;
      value = ph_node_input (value->graph->owner, i);
    }
  return value != NULL ? ph_value_constant (value) : NULL;
}

gboolean
ph_lower_ints (PhLower *l, guint index, gint64 **values, gsize *n)
{
  PhTensor *tensor = ph_lower_constant (l, index);

  if (ph_node_input (l->node, index) == NULL)
    return FALSE;
  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR)
    {
      ph_lower_refuse (l, "its input %u is computed, and was an attribute", index);
      return FALSE;
    }
  *n = ph_tensor_count (tensor);
  *values = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    (*values)[i] = ph_tensor_get_int (tensor, i);
  return TRUE;
}

static void
remove_if_unused (PhLower *l, PhValue *value)
{
  if (l->b.error != NULL || ph_value_n_uses (value) > 0 || value->is_input)
    return;
  if (value->producer == NULL)
    ph_graph_remove_value (value, &l->b.error);
  else if (value->producer->op == &ph_op_Constant)
    ph_graph_remove_dead (value->producer);
}

void
ph_lower_drop_input (PhLower *l, guint index)
{
  PhValue *value = ph_node_input (l->node, index);
  guint n = l->node->inputs->len;

  if (l->b.error != NULL || index >= n)
    return;
  if (value != NULL && ph_node_set_input (l->node, index, NULL, &l->b.error))
    remove_if_unused (l, value);
  while (n > 0 && ph_node_input (l->node, n - 1) == NULL)
    n--;
  if (l->b.error == NULL && n < l->node->inputs->len)
    ph_node_truncate_inputs (l->node, n, &l->b.error);
}

void
ph_lower_set_input (PhLower *l, guint index, PhValue *value)
{
  while (l->b.error == NULL && l->node->inputs->len < index)
    ph_node_set_input (l->node, l->node->inputs->len, NULL, &l->b.error);
  if (l->b.error == NULL)
    ph_node_set_input (l->node, index, value, &l->b.error);
}

void
ph_lower_set_attr (PhLower *l, const char *name, PhAttr *attr)
{
  g_autoptr (PhAttr) owned = attr;

  if (l->b.error == NULL && (attr != NULL || ph_node_attr (l->node, name) != NULL))
    ph_node_set_attr (l->node, name, attr, &l->b.error);
}

void
ph_lower_replace (PhLower *l, PhValue *value)
{
  if (l->b.error != NULL || value == NULL)
    return;
  if (!ph_node_replace (l->node, value, &l->b.error) && l->b.error == NULL)
    ph_lower_refuse (l, "it makes an output of the model, whose name nothing else can take");
}

void
ph_lower_become (PhLower *l, const char *op_type, PhValue *const *inputs, guint n_inputs, guint n_outputs, PhAttr **attrs)
{
  g_autofree const PhType **types = g_new0 (const PhType *, n_outputs);
  g_autofree const char **names = g_new0 (const char *, n_outputs);
  guint n_attrs = 0;

  while (attrs[n_attrs] != NULL)
    n_attrs++;
  types[0] = ph_node_output (l->node, 0)->type;
  names[0] = l->b.name;
  if (l->b.error == NULL)
    {
      /* clang-format off */
      PhNodeSpec spec = {
        .op_type = op_type, .domain = "", .name = l->node->name, .inputs = (PhValue **) inputs, .n_inputs = n_inputs,
        .n_outputs = n_outputs, .output_names = names, .output_types = types, .attrs = attrs, .n_attrs = n_attrs, .before = l->node,
        .role = l->node->role, .partner = l->node->partner, .device = l->node->device
      };
      /* clang-format on */
      PhNode *node = ph_graph_add_node (l->node->graph, &spec, &l->b.error);

      if (node != NULL)
        ph_lower_replace (l, ph_node_output (node, 0));
    }
  for (guint i = 0; i < n_attrs; i++)
    ph_attr_unref (attrs[i]);
}

/* ── one node ── */

static gboolean
is_default (const PhOpAttr *formal, const PhAttr *attr)
{
  g_autofree char *text = formal != NULL && formal->fallback != NULL ? ph_attr_value_to_string (attr) : NULL;

  if (text == NULL || formal->kind != attr->kind)
    return FALSE;
  if (attr->kind == PH_ATTR_FLOAT)
    return attr->f == (float) g_ascii_strtod (formal->fallback, NULL);
  return g_str_equal (text, formal->fallback);
}

/* Drops attributes that the version lacks if their value is the newest default, the older version's behaviour. */
static void
drop_default_attrs (PhLower *l)
{
  for (guint i = l->node->attrs->len; i > 0 && l->node->op != NULL && l->b.error == NULL; i--)
    {
      PhAttr *attr = l->node->attrs->pdata[i - 1];
      g_autofree char *why = NULL, *lacking = g_strdup_printf ("it has no %s at ", attr->name);

      if (!ph_opset_has (l->node, l->opset, &why) && g_str_has_prefix (why, lacking)
          && is_default (ph_op_attr (l->node->op, attr->name), attr))
        ph_node_set_attr (l->node, attr->name, NULL, &l->b.error);
    }
}

/* Returns the lowest opset above @opset whose table has the node, or 0. */
static int
lowest_that_has (const PhNode *node, int opset)
{
  for (int i = opset + 1; i <= PH_OPSET_LAST; i++)
    if (ph_opset_has (node, i, NULL))
      return i;
  return 0;
}

/* Returns 0, or the opset that the node needs. */
static int
lower_node (PhLower *l, PhId id)
{
  int needed = 0;
  /* Determined before the loop: the older forms made in it may exist in no opset. */
  const int had = lowest_that_has (ph_model_find_node (l->model, id), 0);

  for (guint i = 0; i < G_N_ELEMENTS (rows) && l->refusal == NULL; i++)
    {
      l->node = ph_model_find_node (l->model, id);
      if (l->node == NULL)
        return 0;
      if (l->opset >= rows[i].below || !is_named (rows[i].ops, l->node->op_type))
        continue;
      l->row = rows[i].below;
      l->b = (PhBuilder) { .graph = l->node->graph,
                           .before = l->node,
                           .name = l->node->outputs->len > 0 ? ph_node_output (l->node, 0)->name : NULL,
                           .role = l->node->role,
                           .partner = l->node->partner,
                           .device = l->node->device };
      rows[i].func (l);
      if (l->b.error != NULL)
        ph_lower_refuse (l, "%s", l->b.error->message);
      g_clear_error (&l->b.error);
      if (l->refusal != NULL)
        needed = rows[i].below;
    }
  l->node = ph_model_find_node (l->model, id);
  if (l->node == NULL || l->refusal != NULL)
    return needed;
  drop_default_attrs (l);
  g_clear_error (&l->b.error);
  /* A node that no opset has came so from the file. */
  if (!ph_opset_has (l->node, l->opset, NULL))
    {
      needed = lowest_that_has (l->node, l->opset);
      if (needed == 0 && had > l->opset)
        needed = had;
      if (needed > 0)
        ph_opset_has (l->node, l->opset, &l->refusal);
    }
  return needed;
}

/* ── models that are in the form already ── */

#define FORM_VALUES 6
#define FORM_ATTRS  4
#define FORMS       64

/* All that decides whether a node may stay as it is. */
typedef struct
{
  const char *op_type;
  guint n_inputs, n_attrs;
  gconstpointer types[FORM_VALUES]; /* of inputs and outputs; NULL: there is no such value */
  const char *attrs[FORM_ATTRS];
} Form;

/* Returns FALSE for a node with more values or attributes than are kept. */
static gboolean
read_form (const PhNode *node, Form *form)
{
  static const char unknown[] = "";
  const guint n = node->inputs->len;

  if (n + node->outputs->len > FORM_VALUES || node->attrs->len > FORM_ATTRS)
    return FALSE;
  *form = (Form) { .op_type = node->op_type, .n_inputs = n, .n_attrs = node->attrs->len };
  for (guint i = 0; i < n + node->outputs->len; i++)
    {
      const PhValue *value = i < n ? node->inputs->pdata[i] : node->outputs->pdata[i - n];

      if (value != NULL)
        form->types[i] = value->type != NULL ? (gconstpointer) value->type : unknown;
    }
  for (guint i = 0; i < node->attrs->len; i++)
    form->attrs[i] = ((PhAttr *) node->attrs->pdata[i])->name;
  return TRUE;
}

/* Returns TRUE if lowering leaves @node as it is. */
static gboolean
fits (const PhNode *node, int opset)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (opset < rows[i].below && is_named (rows[i].ops, node->op_type))
      return FALSE;
  return ph_opset_has (node, opset, NULL);
}

gboolean
ph_model_is_in_form (PhModel *model, int opset)
{
  g_autofree Form *known = NULL; /* that fit */

  if (model->form == opset)
    return TRUE;
  known = g_new0 (Form, FORMS);
  for (PhId id = 1; id < model->next_id; id++)
    {
      const PhNode *node = ph_model_find_node (model, id);
      Form form, *as;

      if (node == NULL || ph_graph_in_function (node->graph) || *node->domain != '\0' || ph_node_is_fused (node))
        continue;
      if (!read_form (node, &form))
        {
          if (!fits (node, opset))
            return FALSE;
          continue;
        }
      as = &known[(g_direct_hash (form.op_type) / 16 + g_direct_hash (form.types[0]) / 16 + form.n_inputs) % FORMS];
      if (memcmp (as, &form, sizeof form) == 0)
        continue;
      if (!fits (node, opset))
        return FALSE;
      *as = form;
    }
  model->form = opset;
  return TRUE;
}

#define MAX_NAMED 10

PhModel *
ph_model_lowered (PhModel *model, int opset, int *needed, char **why, GError **error)
{
  g_autoptr (PhModel) clone = ph_model_clone (model);
  g_autoptr (GPtrArray) obstacles = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = NULL;
  const int own = ph_model_file_opset (model);
  guint first = 0;
  int most = 0;

  /* Ids only grow, so nodes made on the way are visited too. */
  for (PhId id = 1; id < clone->next_id; id++)
    {
      PhNode *node = ph_model_find_node (clone, id);
      PhLower l = { .model = clone, .opset = opset, .own = own <= opset };
      g_autofree char *label = NULL;
      int needs;

      if (node == NULL || ph_graph_in_function (node->graph) || *node->domain != '\0' || ph_node_is_fused (node))
        continue;
      label = ph_node_label (node);
      needs = lower_node (&l, id);
      if (l.refusal != NULL)
        g_ptr_array_add (obstacles, g_strdup_printf ("%s needs opset %d: %s", label, needs, l.refusal));
      if (needs > most)
        {
          most = needs;
          first = obstacles->len - 1;
        }
      g_free (l.refusal);
    }
  if (obstacles->len == 0)
    {
      ph_model_set_opset (clone, "", opset);
      ph_model_set_opset (clone, PH_FILE_OPSET, 0);
      return g_steal_pointer (&clone);
    }
  if (needed != NULL)
    *needed = most;
  if (why != NULL)
    *why = g_strdup (obstacles->pdata[first]);
  text = g_string_new (obstacles->pdata[first]);
  for (guint i = 0, said = 1; i < obstacles->len && said < MAX_NAMED; i++)
    if (i != first)
      {
        g_string_append_printf (text, "; %s", (char *) obstacles->pdata[i]);
        said++;
      }
  if (obstacles->len > MAX_NAMED)
    g_string_append_printf (text, "; and %u more", obstacles->len - MAX_NAMED);
  g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "at opset %d the model has no exact equal: %s", opset, text->str);
  return NULL;
}
