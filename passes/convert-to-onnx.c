/* convert-to-onnx.c: rewrites operators of other systems as ONNX operators. Those without a rule stay and are listed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-foreign.h"

#include <string.h>

#include "core/ops/copy.h"
#include "core/ops/dialect.h"
#include "passes/complex.h"
#include "passes/convert-aten.h"
#include "passes/convert-quantised.h"
#include "passes/convert-session.h"
#include "passes/convert-tensorflow-lists.h"
#include "passes/stays.h"

/* Returns TRUE for PyTorch's operators that overwrite their operand: relu_, but not __and__. */
static gboolean
is_in_place (const PhNode *node)
{
  const gsize n = strlen (node->op_type);

  return g_str_equal (node->domain, "aten") && n > 1 && node->op_type[n - 1] == '_' && node->op_type[n - 2] != '_'
         && !g_str_equal (node->op_type, "requires_grad_");
}

const char *
ph_convert_name (const PhNode *node)
{
  /* clang-format off */
  static const struct { const char *name, *other; } names[] = {      /* of HLO and jaxpr, where they differ */
    { "cos", "cosine" }, { "sin", "sine" }, { "exp", "exponential" }, { "expm1", "exponential_minus_one" }, { "log1p", "log_plus_one" },
    { "mul", "multiply" }, { "sub", "subtract" }, { "div", "divide" }, { "max", "maximum" }, { "min", "minimum" }, { "neg", "negate" },
    { "pow", "power" }, { "rem", "remainder" }, { "conditional", "case" }, { "clz", "count_leading_zeros" }, { "population_count", "popcnt" },
    { "opt_barrier", "optimization_barrier" }, { "rev", "reverse" }, { "ceil", "ceil" },
  };
  static const struct { const char *name, *other; } of_hlo[] = {      /* the same name is another operator in StableHLO */
    { "broadcast", "broadcast_in_dim" }, { "dot", "dot_general" }, { "topk", "top_k" },
  };
  /* clang-format on */
  const PhDialect *dialect = ph_dialect_find (node->domain);
  g_autofree char *name = NULL;

  if (dialect == NULL || dialect->rules == NULL || ph_dialect_is_box (node))
    return NULL;
  if (*dialect->rules != '\0')
    {
      /* The prefix PrimFunc_ of MindSpore's dumps is dropped. */
      name = g_strdup_printf ("%s:%s", dialect->rules,
                              node->op_type + (g_str_has_prefix (node->op_type, "PrimFunc_") ? strlen ("PrimFunc_") : 0));
      /* In-place operators like relu_ () have the rule without the underscore; the reader already resolved the aliasing. */
      if (is_in_place (node))
        name[strlen (name) - 1] = '\0';
      return ph_intern (name);
    }
  for (gsize i = 0; g_str_equal (node->domain, "hlo") && i < G_N_ELEMENTS (of_hlo); i++)
    if (g_str_equal (of_hlo[i].name, node->op_type))
      return of_hlo[i].other;
  name = g_strdelimit (g_strdup (node->op_type), "-", '_');
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, name))
      return names[i].other;
  return ph_intern (name);
}

const PhConvertRule *
ph_convert_find (const char *op)
{
  for (gsize t = 0; ph_convert_tables[t] != NULL; t++)
    for (const PhConvertRule *rule = ph_convert_tables[t]; rule->op != NULL; rule++)
      if (g_str_equal (rule->op, op))
        return rule;
  return NULL;
}

static gboolean
is_elementwise (const PhConvertRule *rule)
{
  for (const PhConvertRule *other = ph_convert_elementwise; other->op != NULL; other++)
    if (other == rule)
      return TRUE;
  return FALSE;
}

/* ── one node ── */

/* Passes on further knowledge of the old values: the full type of quantized ones, and declared shapes. */
static void
hand_over (PhNode *node, PhValue *const *values, GHashTable *quantised)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *old = ph_node_output (node, i);
      gpointer text = g_hash_table_lookup (quantised, GUINT_TO_POINTER (old->id));

      if (text != NULL && values[i] != NULL)
        g_hash_table_insert (quantised, GUINT_TO_POINTER (values[i]->id), text);
      /* The file may declare a shape that does not follow from the operands. */
      if (old->type != NULL && old->type->kind != PH_KIND_OPAQUE && values[i] != NULL && values[i]->type != old->type
          && values[i]->tensor == NULL)
        {
          const PhType *both = values[i]->type != NULL ? ph_type_merge (values[i]->type, old->type) : old->type;

          if (both != NULL && both != values[i]->type)
            ph_value_set_type (values[i], both, NULL);
        }
    }
}

/* Returns FALSE if ONNX's operators do not allow the types of the nodes made since the id @first: the file may declare a type, or bodies may
 * have one, that contradicts the operands'. */
static gboolean
fits_schemas (PhModel *model, PhId first, GError **error)
{
  for (PhId id = first; id < model->next_id; id++)
    {
      const PhNode *node = ph_model_find_node (model, id);

      if (node != NULL && node->op != NULL && !ph_op_check (node->op, node, error))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if ONNX's operator does not accept integers of 2 and 4 bits, although it only moves elements. */
static gboolean
moves_wide_only (const PhConvertRule *rule)
{
  static const char *const names[]
      = { "concatenate", "slice", "dynamic_slice", "dynamic_update_slice", "gather", "pad", "reverse", "broadcast_in_dim", NULL };

  return g_strv_contains (names, rule->op);
}

/* Integers of 2 and 4 bits are computed in 8 bits and then truncated. */
static gboolean
convert_narrow (PhConvert *l, const PhConvertRule *rule, GHashTable *quantised, PhValue **out)
{
  g_autofree PhValue **wide = g_new0 (PhValue *, l->n_in + PH_CONVERT_SPARE);
  PhValue **narrow = l->in;
  gboolean any = FALSE, ok;

  for (guint i = 0; i < l->n_in; i++)
    {
      const PhDType dtype = ph_convert_dtype (l->in[i]);

      wide[i] = l->in[i];
      if (dtype == PH_INT4 || dtype == PH_INT2 || dtype == PH_UINT4 || dtype == PH_UINT2)
        {
          any = TRUE;
          wide[i] = ph_convert_cast (l, l->in[i], dtype == PH_INT4 || dtype == PH_INT2 ? PH_INT8 : PH_UINT8);
        }
    }
  any = any && (is_elementwise (rule) || moves_wide_only (rule)) && !g_str_equal (rule->op, "convert")
        && !g_str_equal (rule->op, "bitcast_convert");
  if (!any || strstr (rule->op, "shift") != NULL || strstr (rule->op, "count_") != NULL)
    return ph_quantised_lower (l, rule->lower, quantised, out);
  l->in = wide;
  ok = rule->lower (l, out);
  l->in = narrow;
  if (ok && ph_convert_type (l, 0) != NULL)
    out[0] = ph_convert_cast (l, out[0], ph_convert_type (l, 0)->dtype);
  return ok;
}

/* Casts to float: oneDNN multiplies and adds bfloat16 and float together in float. */
static void
level_floats (PhConvert *l)
{
  PhDType found = PH_UNDEFINED;
  gboolean several = FALSE;

  for (guint i = 0; i < l->n_in; i++)
    {
      const PhDType dtype = l->in[i] != NULL ? ph_value_dtype (l->in[i]) : PH_UNDEFINED;

      if (!ph_dtype_is_float (dtype))
        continue;
      several = several || (found != PH_UNDEFINED && found != dtype);
      found = dtype;
    }
  for (guint i = 0; several && i < l->n_in; i++)
    if (l->in[i] != NULL && ph_dtype_is_float (ph_value_dtype (l->in[i])))
      l->in[i] = ph_convert_cast (l, l->in[i], PH_FLOAT);
}

static gboolean
convert_node (PhPassRun *run, PhNode *node, const char *name, const PhConvertRule *rule, GHashTable *quantised, char **stays,
              GError **error)
{
  PhBuilder b = { .graph = node->graph, .before = node, .role = node->role, .partner = node->partner, .device = node->device };
  g_autofree PhValue **out = g_new0 (PhValue *, node->outputs->len + PH_CONVERT_SPARE),
                     **in = g_new0 (PhValue *, node->inputs->len + PH_CONVERT_SPARE), **all = NULL;
  PhConvert l
      = { .run = run, .node = node, .op = name, .b = &b, .in = in, .n_in = node->inputs->len, .n_out = node->outputs->len };
  const PhId first = run->model->next_id;
  const gboolean own = strchr (name, ':') != NULL; /* the rules of one system, not those shared with StableHLO */
  gboolean ok = TRUE;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      ok = ((in[i] = node->inputs->pdata[i]) != NULL || own) && ok;
      if (in[i] != NULL && ph_aten_is_none (in[i]))
        in[i] = NULL;
    }
  if (!ok)
    return TRUE;
  if (ph_aten_is_torch (node) && (all = ph_aten_spread (node, in, &l.n_in)) != NULL)
    l.in = all;
  for (guint i = 0; i < l.n_in && is_elementwise (rule); i++)
    if (in[i]->type == NULL)
      {
        *stays = g_strdup_printf ("the type of '%s' is not known", in[i]->name);
        return TRUE;
      }
    else if (in[i]->type->kind == PH_KIND_OPAQUE)
      {
        *stays = g_strdup_printf ("ONNX has no type like that of '%s', %s", in[i]->name, in[i]->type->name);
        return TRUE;
      }
  if (g_str_has_prefix (name, "aten:") && ph_aten_unread (node, name + strlen ("aten:")) != NULL)
    {
      *stays = g_strdup_printf ("its parameter '%s' has no rule", ph_aten_unread (node, name + strlen ("aten:")));
      return TRUE;
    }
  if (!ph_pass_begin (run, rule->op, node, rule->why))
    return FALSE;
  if (ph_model_opset (run->model, "") == 0)
    ph_model_set_opset (run->model, "", PH_OPSET_NEWEST);
  if (g_str_equal (node->domain, "onednn"))
    level_floats (&l);
  ok = own ? ph_tflite_lower (&l, rule->lower, out) : ph_convert_empty (&l, out) || convert_narrow (&l, rule, quantised, out);
  for (guint i = 0; ok && i < l.n_out; i++)
    ok = out[i] != NULL || ph_value_n_uses (ph_node_output (node, i)) == 0;
  for (guint i = 0; ok && i < l.n_out; i++)
    if (out[i] == NULL)
      ok = l.n_out > 1 || l.is_dropped;
  for (guint i = 0; ok && i < l.n_out && g_str_equal (node->domain, "onednn"); i++)
    if (out[i] != NULL && ph_dtype_is_float (ph_value_dtype (out[i]))
        && ph_dtype_is_float (ph_value_dtype (ph_node_output (node, i))))
      out[i] = ph_convert_cast (&l, out[i], ph_value_dtype (ph_node_output (node, i)));
  ok = ok && (l.stays == NULL || !g_str_has_prefix (name, "aten:"));
  if (ok && is_in_place (node) && out[0] != NULL && ph_value_dtype (l.in[0]) != PH_UNDEFINED)
    out[0] = ph_convert_cast (&l, out[0], ph_value_dtype (l.in[0])); /* x.lt_ (y) leaves floats in x */
  /* The declared element type wins: a Python number has the declared width. */
  for (guint i = 0; ok && i < l.n_out && g_str_has_prefix (name, "aten:"); i++)
    if (out[i] != NULL && ph_value_dtype (ph_node_output (node, i)) != PH_UNDEFINED && ph_value_dtype (out[i]) != PH_UNDEFINED)
      out[i] = ph_convert_cast (&l, out[i], ph_value_dtype (ph_node_output (node, i)));
  for (guint i = 0; ok && i < l.n_out && ph_aten_is_torch (node); i++)
    if (out[i] != NULL)
      out[i] = ph_aten_settled (&l, out[i]);
  if (ok && b.error == NULL)
    {
      hand_over (node, out, quantised);
      ok = ph_node_replace_all (node, out, &b) && fits_schemas (run->model, first, &b.error);
    }
  if (ok && b.error == NULL)
    {
      ph_pass_end (run);
      g_free (l.stays);
      return TRUE;
    }
  ph_pass_abort (run);
  if (l.stays == NULL && b.error != NULL && l.n_in == 0)
    *stays = g_strdup ("what it is given is not in the file");
  else
    *stays = l.stays != NULL ? l.stays : g_strdup (b.error != NULL ? b.error->message : "it could not be replaced");
  g_clear_error (&b.error);
  return TRUE;
}

/* ── the whole model ── */

/* Returns the quantization parameters of the file, by value id. */
static GHashTable *
quantised_values (PhModel *model)
{
  GHashTable *found = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];
      const PhAttr *types = node != NULL ? ph_node_attr (node, "result_types") : NULL;

      for (guint k = 0; types != NULL && types->kind == PH_ATTR_STRINGS && k < types->n && k < node->outputs->len; k++)
        {
          gsize size;
          const char *text = g_bytes_get_data (types->strings[k], &size);
          g_autofree char *copy = g_strndup (text != NULL ? text : "", size);

          if (strstr (copy, "!quant.uniform") != NULL)
            g_hash_table_insert (found, GUINT_TO_POINTER (ph_node_output (node, k)->id), (gpointer) ph_intern (copy));
        }
    }
  return found;
}

/* Replaces composites by calls of the functions that decompose them. */
static gboolean
resolve_composites (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);

  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i], *call;
      const char *name = g_str_equal (node->op_type, "composite") ? ph_node_attr_string (node, "decomposition", NULL) : NULL;
      g_autofree PhValue **out = NULL;
      PhBuilder b = { .graph = node->graph, .before = node };

      if (name == NULL || ph_model_find_function (run->model, "func", name) == NULL)
        continue;
      if (!ph_pass_begin (run, "composite", node, "A composite is replaced by the function that defines its decomposition."))
        return TRUE;
      out = g_new0 (PhValue *, node->outputs->len + 1);
      call = ph_graph_add_node (node->graph,
                                &(PhNodeSpec) { .op_type = name,
                                                .domain = "func",
                                                .inputs = (PhValue **) node->inputs->pdata,
                                                .n_inputs = node->inputs->len,
                                                .n_outputs = node->outputs->len,
                                                .before = node },
                                error);
      if (call == NULL)
        return FALSE;
      for (guint k = 0; k < node->outputs->len; k++)
        out[k] = ph_node_output (call, k);
      if (ph_node_replace_all (node, out, &b))
        ph_pass_end (run);
      else
        ph_pass_abort (run);
      if (!ph_builder_finish (&b, error))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE for an operator of another system that no rule was asked about, unless it is only a container or a call. */
static gboolean
is_left (const PhNode *node)
{
  return node->op == NULL && !ph_node_is_fused (node) && ph_node_function (node) == NULL && ph_convert_name (node) == NULL
         && !ph_dialect_is_box (node);
}

/* Says which inputs lack a shape, which rules need. */
static void
note_what_is_missing (PhPassRun *run)
{
  for (guint i = 0; i < run->model->graph->inputs->len; i++)
    {
      const PhValue *input = run->model->graph->inputs->pdata[i];
      const PhType *type = input->type;

      if (type == NULL || (type->kind == PH_KIND_TENSOR && !type->has_rank))
        ph_pass_note (run,
                      "the shape of input '%s' is not in the file: give it one first, as in `run bind-dimensions %s=[1,3,32,32]`",
                      input->name, input->name);
    }
}

/* Lists the reasons for which nodes stayed. @reasons: PhId -> reason, also of nodes removed since. */
static void
note_what_stays (PhPassRun *run, GHashTable *reasons)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);
  g_autoptr (PhStays) stays = ph_stays_new ();

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      const char *reason = g_hash_table_lookup (reasons, GUINT_TO_POINTER (node->id));
      g_autofree char *name = NULL;

      if (reason == NULL && is_left (node))
        reason = ph_convert_reason (node);
      name = g_strdup_printf ("%s.%s", node->domain, node->op_type);
      if (reason != NULL)
        ph_stays_add (stays, name, reason);
    }
  if (ph_stays_any (stays))
    note_what_is_missing (run);
  ph_stays_note (stays, run);
}

/* Collects bodies before their nodes. PyTorch's and TensorFlow's nodes with bodies also come before them, marked ENTER, to set the types of
 * the body's inputs. */
#define ENTER 0x80000000u

static void
collect (PhNode *node, GArray *ids)
{
  const guint first = node->id | ENTER, again = node->id;

  if (ph_aten_is_control (node) || ph_tf_is_control (node))
    g_array_append_val (ids, first);
  if (node->graphs != NULL && (!ph_node_is_fused (node) || ph_aten_is_control (node)))
    for (guint i = 0; i < node->graphs->len; i++)
      PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[i])
        collect (inner, ids);
  g_array_append_val (ids, again);
}

/* Inserts the nodes of @graph with ids from @next on into @ids at @at. */
static void
insert_new (PhGraph *graph, PhId next, GArray *ids, guint at)
{
  g_autoptr (GArray) more = g_array_new (FALSE, FALSE, sizeof (guint));

  PH_FOREACH_NODE (node, graph)
    if (node->id >= next)
      collect (node, more);
  if (more->len > 0)
    g_array_insert_vals (ids, at, more->data, more->len);
}

/* Inserts the foreign nodes that stand from @last backwards with ids from @next on, or in their bodies: a copy of a body holds others than
 * the body. */
static void
insert_made (PhNode *last, PhId next, GArray *ids, guint at)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint)), foreign = g_array_new (FALSE, FALSE, sizeof (guint));
  PhNode *first = NULL;

  for (PhNode *node = last; node != NULL && node->id >= next; node = node->prev)
    first = node;
  for (PhNode *node = first; node != NULL; node = node != last ? node->next : NULL)
    collect (node, all);
  for (guint i = 0; i < all->len; i++)
    if (ph_model_find_node (last->graph->model, g_array_index (all, guint, i) & ~ENTER)->op == NULL)
      g_array_append_vals (foreign, &g_array_index (all, guint, i), 1);
  if (foreign->len > 0)
    g_array_insert_vals (ids, at, foreign->data, foreign->len);
}

/* A model whose tuples, calls and functions alone were converted has no opset yet. */
static gboolean
set_opset (PhPassRun *run)
{
  const PhGraph *graph = run->model->graph;
  gboolean is_onnx = graph->n_nodes == 0;

  PH_FOREACH_NODE (node, graph)
    is_onnx = is_onnx || (node->op != NULL && *node->domain == '\0');
  if (run->stopped || graph->outputs->len == 0 || !is_onnx || ph_model_opset (run->model, "") != 0
      || !ph_pass_begin (run, "opset", NULL, "The operators are ONNX's, so the model gets the newest opset of ONNX."))
    return TRUE;
  ph_model_set_opset (run->model, "", PH_OPSET_NEWEST);
  ph_pass_end (run);
  return TRUE;
}

static gboolean
convert_to_onnx (PhPassRun *run, GError **error)
{
  g_autoptr (GHashTable) quantised = NULL, reasons = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (PhComplex) complex = ph_complex_new ();

  if (!resolve_composites (run, error) || !ph_session_cut_fed (run, error) || !ph_session_drop_order (run, error))
    return FALSE;
  ph_session_drop_unfetched (run);
  if (!ph_foreign_prepare (run, error) || !ph_pass_run_inside (run, "inline-functions", error) || !ph_foreign_prepare (run, error)
      || !ph_session_drop_order (run, error))
    return FALSE;
  ph_session_drop_unfetched (run);
  ph_tf_close_branches (run);
  if (!ph_convert_prepare (run, error) || !ph_convert_inputs (run, error))
    return FALSE;
  quantised = quantised_values (run->model);
  PH_FOREACH_NODE (node, run->model->graph)
    collect (node, ids);
  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      const guint id = g_array_index (ids, guint, i);
      PhNode *node = ph_model_find_node (run->model, id & ~ENTER);
      const char *name = node != NULL ? ph_convert_name (node) : NULL;
      const PhConvertRule *rule = name != NULL ? ph_convert_find (name) : NULL;
      char *stays = NULL;

      if (name == NULL || ph_aten_is_list (node))
        continue;
      if ((id & ENTER) != 0 && ph_tf_is_control (node))
        {
          ph_tf_enter (run, node);
          continue;
        }
      if ((id & ENTER) != 0)
        {
          const PhId next = run->model->next_id;
          PhGraph *graph = node->graph;

          if (!ph_aten_take_branch (run, node, error)
              || (ph_model_find_node (run->model, id & ~ENTER) != NULL && !ph_aten_unroll (run, node, error)))
            return FALSE;
          if ((node = ph_model_find_node (run->model, id & ~ENTER)) == NULL)
            insert_new (graph, next, ids, i + 1);
          else if (!ph_aten_enter (run, node, error))
            return FALSE;
          continue;
        }
      if (node->outputs->len == 0)
        {
          g_hash_table_insert (reasons, GUINT_TO_POINTER (id), g_strdup ("it makes nothing"));
          continue;
        }
      if (ph_complex_touches (complex, node))
        {
          const PhId next = run->model->next_id;
          PhGraph *graph = node->graph;

          if (!ph_complex_split (complex, run, node, name, &stays, error))
            break;
          insert_new (graph, next, ids, i + 1);
          if (stays != NULL)
            g_hash_table_insert (reasons, GUINT_TO_POINTER (id), stays);
          continue;
        }
      if (rule != NULL)
        {
          PhGraph *graph = node->graph;
          PhNode *after = node->next;
          const gboolean has_bodies = node->graphs != NULL;
          const PhId next = run->model->next_id;

          if (!convert_node (run, node, name, rule, quantised, &stays, error))
            break;
          if (has_bodies && stays == NULL)
            insert_made (after != NULL ? after->prev : graph->last, next, ids, i + 1);
        }
      if (rule == NULL)
        stays = g_strdup (ph_convert_reason (node));
      if (stays != NULL)
        g_hash_table_insert (reasons, GUINT_TO_POINTER (id), stays);
    }
  if (!run->stopped
      && (!ph_complex_finish (complex, run, error) || !ph_aten_finish (run, error) || !ph_foreign_finish (run, error)))
    return FALSE;
  note_what_stays (run, reasons);
  return set_opset (run);
}

/* clang-format off */
const PhPass ph_pass_convert_to_onnx = {
  .name = "convert-to-onnx", .group = "upgrade", .summary = "Converts operators of StableHLO, HLO, jaxpr, PyTorch, TensorFlow, TensorFlow Lite, OpenVINO, oneDNN, MindSpore and TVM to ONNX",
  .elsewhere = "torch.onnx, jax2onnx, tf2onnx, stablehlo-to-onnx",
  .trap = "operators of the same name may differ in rounding, shifts by the width, starts out of range, and NaN.",
  .run = convert_to_onnx, .exactness = PH_ROUNDING,
};
/* clang-format on */
