/* field-graph.c: walks a graph and evaluates its nodes over the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-graph.h"
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"

#include "core/run/recipe.h"

#define MAX_DEPTH 48

/* ── state of a field ── */

typedef struct
{
  PhModel *model;
  PhValue **in, **out; /* (nullable elements) by input and output of the node */
} Expansion;

static void
expansion_free (Expansion *self)
{
  g_clear_pointer (&self->model, ph_model_free);
  g_free (self->in);
  g_free (self->out);
  g_free (self);
}

PhField *
ph_field_new (PhModel *model, GHashTable *shared, GCancellable *cancellable)
{
  PhField *self = g_new0 (PhField, 1);

  self->model = model;
  self->shared = shared;
  self->cancellable = cancellable;
  self->expansions = g_hash_table_new (NULL, NULL);
  self->kept = g_ptr_array_new_with_free_func ((GDestroyNotify) expansion_free);
  self->functions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_model_free);
  self->known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  self->places = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  self->sources = g_hash_table_new (NULL, NULL);
  self->recipes = g_hash_table_new (NULL, NULL);
  self->values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_field_tensor_unref);
  return self;
}

void
ph_field_free (PhField *self)
{
  g_hash_table_unref (self->values);
  g_hash_table_unref (self->recipes);
  g_hash_table_unref (self->sources);
  g_hash_table_unref (self->places);
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->functions);
  g_hash_table_unref (self->expansions);
  g_ptr_array_unref (self->kept);
  g_free (self->why);
  g_free (self);
}

void
ph_field_begin (PhField *self, guint reading, guint64 salt, double most)
{
  g_hash_table_remove_all (self->values);
  memset (self->ratios, 0, sizeof self->ratios);
  self->reading = reading;
  self->work = self->hashed = 0;
  self->most = most;
  self->depth = self->loops = self->recipe_depth = 0;
  self->met = 0;
  self->bad_sign = self->redraw = self->used_recipe = self->used_recognised = FALSE;
  self->least_signs = G_MAXSIZE;
  g_clear_pointer (&self->why, g_free);
  ph_field_set_point (self, salt);
}

void
ph_field_forget (PhField *self)
{
  g_hash_table_remove_all (self->values);
  g_hash_table_remove_all (self->expansions);
  g_hash_table_remove_all (self->places);
  g_hash_table_remove_all (self->known);
}

static gboolean stop (PhField *field, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
stop (PhField *field, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (field->why == NULL)
    field->why = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

gboolean
ph_field_fail (PhFieldNode *self, const char *format, ...)
{
  g_autofree char *label = ph_node_label (self->node), *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  return stop (self->field, "%s: %s", label, message);
}

void
ph_field_work (PhField *field, double multiplications)
{
  field->work += multiplications;
  if (field->work > field->most)
    stop (field, "too large to be evaluated over a field");
}

/* ── access for the rules of nodes ── */

PhFieldTensor *
ph_field_in (PhFieldNode *self, guint i)
{
  return i < self->n_in ? self->in[i] : NULL;
}

PhTensor *
ph_field_known (PhFieldNode *self, guint i)
{
  PhFieldTensor *tensor = ph_field_in (self, i);

  return tensor != NULL ? tensor->known : NULL;
}

gint64 *
ph_field_ints (PhFieldNode *self, guint i, gsize *n)
{
  PhTensor *tensor = ph_field_known (self, i);
  gint64 *values;

  *n = 0;
  if (tensor == NULL || !ph_dtype_is_integer (ph_tensor_dtype (tensor)))
    return NULL;
  *n = ph_tensor_count (tensor);
  values = g_new (gint64, *n + 1);
  for (gsize k = 0; k < *n; k++)
    values[k] = ph_tensor_get_int (tensor, k);
  return values;
}

/* ── constants ── */

static gboolean
recipe_holds (PhField *field, PhTensor *tensor)
{
  if (field->images != NULL)
    return ph_field_images_recipe_holds (field->images, tensor);
  if (!g_hash_table_contains (field->recipes, tensor))
    {
      g_autoptr (GError) error = NULL;

      g_hash_table_insert (field->recipes, tensor, GINT_TO_POINTER (ph_recipe_holds (tensor, &error)));
    }
  return GPOINTER_TO_INT (g_hash_table_lookup (field->recipes, tensor));
}

/* Draws a variable of the form: its elements are arbitrary numbers. (transfer full) (nullable) */
static PhFieldTensor *
draw_variable (PhField *field, PhTensor *tensor, guint variable)
{
  const guint64 of_variable = ph_mix (ph_mix (field->salt, 13), variable);
  gint64 dims[PH_MAX_RANK];
  PhFieldTensor *made;

  memcpy (dims, ph_tensor_dims (tensor), ph_tensor_rank (tensor) * sizeof *dims);
  ph_field_sizes_apply (field->sizes, ph_tensor_rank (tensor), dims);
  made = ph_field_tensor_new (field, ph_tensor_dtype (tensor), ph_tensor_rank (tensor), dims);
  for (gsize k = 0; made != NULL && k < made->count; k++)
    ph_field_put (made, k, ph_field_hash (field, ph_mix (of_variable, k)));
  return made;
}

/* Evaluates the recipe of @tensor exactly. (transfer full) (nullable) */
static PhFieldTensor *
cook (PhField *field, PhModel *recipe, PhTensor *tensor)
{
  const PhValue *output = recipe->graph->outputs->pdata[0];
  PhFieldTensor *made, *result;
  gint64 dims[PH_MAX_RANK];
  gsize count = 1;
  gboolean ok;

  if (field->variables == NULL && !recipe_holds (field, tensor))
    {
      stop (field, "a constant is not what the recipe that comes with it gives");
      return NULL;
    }
  field->depth++;
  field->recipe_depth++;
  ok = field->depth <= MAX_DEPTH && ph_field_run_graph (field, recipe->graph);
  field->recipe_depth--;
  field->depth--;
  if (!ok)
    {
      stop (field, "a recipe cannot be evaluated");
      return NULL;
    }
  made = ph_field_value (field, output);
  memcpy (dims, ph_tensor_dims (tensor), ph_tensor_rank (tensor) * sizeof *dims);
  ph_field_sizes_apply (field->sizes, ph_tensor_rank (tensor), dims);
  if (field->sizes != NULL && made != NULL && made->rank == ph_tensor_rank (tensor)) /* it may be a sum of sizes */
    memcpy (dims, made->dims, made->rank * sizeof *dims);
  for (guint k = 0; k < ph_tensor_rank (tensor); k++)
    count *= (gsize) dims[k];
  if (made == NULL || made->count != count)
    {
      stop (field, "a recipe gives another shape");
      return NULL;
    }
  ph_field_parts (field, made);
  result = ph_field_reshaped (field, made, ph_tensor_rank (tensor), dims);
  g_clear_pointer (&result->known, ph_tensor_unref);
  if (field->variables == NULL)
    result->known = ph_tensor_ref (tensor);
  result->dtype = ph_tensor_dtype (tensor);
  for (gsize i = 0; result->known != NULL && i < result->count && (field->reading & PH_FIELD_EULER); i++)
    ph_field_check_sign (field, ph_tensor_get (tensor, i), ph_field_at (result, i));
  field->used_recipe = TRUE;
  return result;
}

/* Returns the elements of the constant @tensor, or those of its recipe. (transfer full) (nullable) */
static PhFieldTensor *
constant_tensor (PhField *field, PhTensor *tensor)
{
  const guint variable = field->variables != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (field->variables, tensor)) : 0;
  PhModel *recipe = ph_recipe_of (tensor);
  g_autoptr (PhTensor) known = NULL;
  PhFieldTensor *constant;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
    {
      stop (field, "a sequence or optional");
      return NULL;
    }
  if (variable > 0)
    return draw_variable (field, tensor, variable);
  if (recipe != NULL && field->shared != NULL && !g_hash_table_contains (field->shared, tensor))
    return cook (field, recipe, tensor);
  known = ph_field_sizes_constant (field, tensor);
  if (known == NULL)
    {
      stop (field, "memory is short");
      return NULL;
    }
  constant = ph_field_tensor_known (known);
  constant->is_constant = TRUE;
  return constant;
}

PhFieldTensor *
ph_field_value (PhField *field, const PhValue *value)
{
  PhFieldTensor *tensor = g_hash_table_lookup (field->values, value);
  PhTensor *constant;

  if (tensor != NULL)
    return tensor;
  constant = value->tensor != NULL ? value->tensor : ph_value_constant (value);
  if (constant == NULL)
    return NULL;
  tensor = constant_tensor (field, constant);
  if (tensor != NULL)
    g_hash_table_insert (field->values, (gpointer) value, tensor);
  return tensor;
}

/* ── nodes ── */

/* The captures of the bodies of @node too. */
static void
need_inputs (GHashTable *needed, const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      g_hash_table_add (needed, node->inputs->pdata[i]);
  for (guint k = 0; node->graphs != NULL && k < node->graphs->len; k++)
    {
      PhGraph *body = node->graphs->pdata[k];

      PH_FOREACH_NODE (inner, body)
        need_inputs (needed, inner);
      for (guint i = 0; i < body->outputs->len; i++)
        g_hash_table_add (needed, body->outputs->pdata[i]);
    }
}

static gboolean
run_node (PhField *field, const PhNode *node, GHashTable *needed)
{
  PhFieldNode self = { field, node, node->inputs->len, node->outputs->len };
  g_autofree PhFieldTensor **in = self.in = g_new0 (PhFieldTensor *, self.n_in + 1);
  g_autofree PhFieldTensor **out = self.out = g_new0 (PhFieldTensor *, self.n_out + 1);
  gboolean ok = TRUE;

  if (g_cancellable_is_cancelled (field->cancellable))
    return stop (field, "cancelled");
  if (field->bad_sign) /* the prime is unusable */
    return stop (field, "a constant has another sign");
  field->n_nodes++;
  for (guint i = 0; i < self.n_in && ok; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      if (value == NULL)
        continue;
      in[i] = ph_field_value (field, value);
      /* an input that a function's caller left out is absent */
      if (in[i] == NULL && !(value->is_input && value->graph->owner == NULL && field->depth > 0))
        ok = ph_field_fail (&self, "its input '%s' has no value", value->name);
    }
  ok = ok && ph_field_node (&self) && field->why == NULL;
  for (guint i = 0; i < self.n_out; i++)
    {
      PhValue *value = node->outputs->pdata[i];

      if (ok && out[i] != NULL)
        g_hash_table_insert (field->values, value, g_steal_pointer (&out[i]));
      else if (ok && g_hash_table_contains (needed, value))
        ok = ph_field_fail (&self, "its output %u cannot be evaluated", i);
      g_clear_pointer (&out[i], ph_field_tensor_unref);
    }
  if (!ok)
    stop (field, "cannot be evaluated");
  return ok;
}

gboolean
ph_field_run_graph (PhField *field, PhGraph *graph)
{
  g_autoptr (GHashTable) needed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  for (guint i = 0; i < graph->outputs->len; i++)
    g_hash_table_add (needed, graph->outputs->pdata[i]);
  for (PhNode *node = graph->last; node != NULL; node = node->prev)
    for (guint k = 0; k < node->outputs->len; k++)
      if (g_hash_table_contains (needed, node->outputs->pdata[k]))
        {
          need_inputs (needed, node);
          g_ptr_array_add (nodes, node);
          break;
        }
  for (guint i = nodes->len; i-- > 0;)
    if (!run_node (field, nodes->pdata[i], needed))
      return FALSE;
  return field->why == NULL;
}

/* ── operators that are expanded ── */

#define MAX_SHAPE 64

static gboolean
is_shape (PhFieldTensor *tensor)
{
  return tensor->known != NULL && ph_dtype_is_integer (tensor->dtype) && tensor->rank <= 1 && tensor->count <= MAX_SHAPE;
}

static Expansion *
expand (PhFieldNode *self, PhFieldSpell spell)
{
  Expansion *expansion = g_new0 (Expansion, 1);
  g_autoptr (GError) error = NULL;
  PhGraph *graph;
  PhBuilder b;
  PhExpand run;

  expansion->model = ph_model_new ();
  expansion->in = g_new0 (PhValue *, self->n_in + 1);
  expansion->out = g_new0 (PhValue *, self->n_out + 1);
  ph_model_set_opset (expansion->model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (expansion->model, self->node->domain,
                      MAX (1, ph_model_opset (self->node->graph->model, self->node->domain)));
  graph = expansion->model->graph;
  b = (PhBuilder) { .graph = graph };
  for (guint i = 0; i < self->n_in && error == NULL; i++)
    if (self->in[i] != NULL)
      {
        g_autofree char *name = g_strdup_printf ("i%u", i);

        expansion->in[i] = is_shape (self->in[i])
                               ? ph_graph_add_constant (graph, name, self->in[i]->known, &error)
                               : ph_graph_add_input (graph, name,
                                                     ph_type_static (self->in[i]->dtype, self->in[i]->rank, self->in[i]->dims),
                                                     NULL, G_MAXUINT, &error);
      }
  run = (PhExpand) { self->node, &b, expansion->in, self->n_in, expansion->out, self->n_out };
  if (error == NULL && !spell (&run, &error) && error == NULL)
    g_set_error_literal (&error, PH_ERROR, PH_ERROR_UNSUPPORTED, "cannot be spelt out");
  if (error == NULL)
    ph_builder_finish (&b, &error);
  g_clear_error (&b.error);
  for (guint i = 0; i < self->n_out && error == NULL; i++)
    if (expansion->out[i] != NULL)
      ph_graph_set_output (graph, graph->outputs->len, expansion->out[i], &error);
  if (error == NULL)
    return expansion;
  ph_field_fail (self, "%s", error->message);
  expansion_free (expansion);
  return NULL;
}

gboolean
ph_field_spell (PhFieldNode *self, PhFieldSpell spell)
{
  PhField *field = self->field;
  Expansion *expansion = field->loops == 0 ? g_hash_table_lookup (field->expansions, self->node) : NULL;
  gboolean ok;

  if (expansion == NULL)
    {
      expansion = expand (self, spell);
      if (expansion == NULL)
        return FALSE;
      g_ptr_array_add (field->kept, expansion);
      g_hash_table_insert (field->expansions, (gpointer) self->node, expansion);
    }
  if (field->depth >= MAX_DEPTH)
    return ph_field_fail (self, "too many graphs inside each other");
  for (guint i = 0; i < self->n_in; i++)
    if (expansion->in[i] != NULL && expansion->in[i]->is_input)
      g_hash_table_insert (field->values, expansion->in[i], ph_field_tensor_ref (self->in[i]));
  field->depth++;
  ok = ph_field_run_graph (field, expansion->model->graph);
  field->depth--;
  for (guint i = 0; i < self->n_out && ok; i++)
    if (expansion->out[i] != NULL)
      {
        const PhValue *output = self->node->outputs->pdata[i];
        PhFieldTensor *made = ph_field_value (field, expansion->out[i]);

        self->out[i] = made != NULL ? ph_field_tensor_ref (made) : NULL;
        /* An expansion may compute in another precision than the operator's output. */
        if (made != NULL && output->type != NULL && ph_dtype_is_float (output->type->dtype) && ph_dtype_is_float (made->dtype)
            && output->type->dtype != made->dtype)
          {
            ph_field_parts (field, made);
            ph_field_tensor_unref (self->out[i]);
            self->out[i] = ph_field_reshaped (field, made, made->rank, made->dims);
            g_clear_pointer (&self->out[i]->known, ph_tensor_unref);
            self->out[i]->dtype = output->type->dtype;
          }
      }
  return ok;
}
