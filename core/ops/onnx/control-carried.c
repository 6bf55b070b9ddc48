/* control-carried.c: the types of loop-carried values.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/control-carried.h"

#include "core/graph/edit.h"

const PhType *
ph_type_common (const PhType *a, const PhType *b)
{
  PhDim dims[PH_MAX_RANK];

  if (a == b || a == NULL || b == NULL)
    return a == b ? a : NULL;
  if (a->kind != b->kind || a->kind == PH_KIND_OPAQUE || a->dtype != b->dtype)
    return NULL;
  if (a->kind != PH_KIND_TENSOR)
    {
      const PhType *item = ph_type_common (a->item, b->item);

      return item != NULL ? ph_type_sequence (a->kind, item) : NULL;
    }
  if (!a->has_rank || !b->has_rank || a->rank != b->rank)
    return ph_type_unranked (a->dtype);
  for (guint i = 0; i < a->rank; i++)
    dims[i] = ph_dim_equal (a->dims[i], b->dims[i]) ? a->dims[i] : PH_DIM_UNKNOWN;
  return ph_type_tensor (a->dtype, a->rank, dims);
}

/* The types of a body's values, restored when a guess about its inputs turns out too narrow. */
typedef struct
{
  PhValue *value;
  const PhType *type;
} Kept;

static void
keep_types (PhGraph *graph, GArray *kept)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      PhValue *value = g_ptr_array_index (graph->inputs, i);

      g_array_append_val (kept, ((Kept) { value, value->type }));
    }
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; i < node->outputs->len; i++)
        {
          PhValue *value = g_ptr_array_index (node->outputs, i);

          g_array_append_val (kept, ((Kept) { value, value->type }));
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        keep_types (g_ptr_array_index (node->graphs, i), kept);
    }
}

/* Returns TRUE if an output of type @out cannot enter the next iteration as @declared. */
static gboolean
contradicts (const PhType *declared, const PhType *out)
{
  if (declared == NULL || out == NULL || declared->kind != PH_KIND_TENSOR || out->kind != PH_KIND_TENSOR || !declared->has_rank
      || !out->has_rank)
    return FALSE;
  if (declared->rank != out->rank)
    return TRUE;
  for (guint i = 0; i < out->rank; i++)
    {
      const PhDim a = declared->dims[i], b = out->dims[i];

      if ((ph_dim_known (a) || a.symbol != NULL) && (ph_dim_known (b) || b.symbol != NULL) && !ph_dim_equal (a, b))
        return TRUE;
    }
  return FALSE;
}

/* Reduces the declared types of loop-carried values to their element types: their shapes may hold for the first iteration only, and the
 * body's declared types follow from them. The @first inputs, the number of the turn and the condition, are not carried. */
static void
forget_shapes (GArray *kept, guint first)
{
  for (guint i = first; i < kept->len; i++)
    {
      Kept *one = &g_array_index (kept, Kept, i);

      if (one->type != NULL && one->type->kind == PH_KIND_TENSOR)
        one->type = ph_type_unranked (one->type->dtype);
    }
}

gboolean
ph_infer_carried (PhInfer *infer, const PhType **types, guint n_types, guint first, guint first_out, guint n_state,
                  GError **error)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (Kept));
  PhGraph *body = ph_node_graph (ph_infer_node_of (infer), "body");

  keep_types (body, kept); /* its inputs come first */
  for (guint round = 0;; round++)
    {
      g_autoptr (GError) problem = NULL;
      gboolean stable = TRUE, forget = FALSE, ok = ph_infer_body (infer, "body", types, n_types, &problem);

      for (guint i = 0; i < n_state; i++)
        {
          const PhType *out = ok ? ph_infer_body_type (infer, "body", first_out + i) : NULL, *in = types[first + i], *wide;
          const Kept *state = &g_array_index (kept, Kept, first + i);

          if (contradicts (state->type, out))
            {
              ph_infer_distrust (infer, state->value, state->type, out);
              forget = TRUE;
            }
          if (in == NULL || (ok && (out == NULL || ph_type_accepts (in, out))))
            continue;
          wide = ok ? ph_type_common (in, out) : in->kind == PH_KIND_TENSOR ? ph_type_unranked (in->dtype) : NULL;
          if (round > 2 && wide != NULL && wide->kind == PH_KIND_TENSOR)
            wide = ph_type_unranked (wide->dtype);
          stable = stable && wide == in;
          types[first + i] = wide;
        }
      if (forget)
        forget_shapes (kept, first);
      if ((stable && !forget) || round > 6)
        {
          if (!ok)
            g_propagate_error (error, g_steal_pointer (&problem));
          return ok;
        }
      for (guint i = 0; i < kept->len; i++)
        {
          Kept *value = &g_array_index (kept, Kept, i);

          if (!ph_infer_restore (infer, value->value, value->type, error))
            return FALSE;
        }
    }
}
