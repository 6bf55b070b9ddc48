/* complex-bodies.c: operators with bodies that compute with complex numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   reduce (z, init, (a, b) -> multiply (a, b))   =>
 *   reduce (z.re, z.im, init.re, init.im, (a.re, a.im, b.re, b.im) -> the parts of the product)
 */
#include <string.h>

#include "core/ops/copy.h"
#include "passes/complex.h"

/* Adds to @all what stands for @value: both parts, or itself. */
static gboolean
add_parts (PhComplex *self, PhValue *value, PhBuilder *b, GPtrArray *all)
{
  PhComplexPair pair;

  if (!ph_complex_is (self, value))
    {
      g_ptr_array_add (all, value);
      return value != NULL;
    }
  if (!ph_complex_parts (self, value, b, &pair))
    return FALSE;
  g_ptr_array_add (all, pair.re);
  g_ptr_array_add (all, ph_complex_imaginary (b, pair));
  return b->error == NULL;
}

/* The node with two operands and two results for each complex one, and with empty bodies. (nullable) */
static PhNode *
new_node (PhComplex *self, PhNode *node, PhBuilder *b)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), types = g_ptr_array_new ();

  for (guint i = 0; i < node->inputs->len; i++)
    if (!add_parts (self, node->inputs->pdata[i], b, inputs))
      return NULL;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      PhValue *output = ph_node_output (node, i);

      for (guint k = 0; k < (ph_complex_is (self, output) ? 2 : 1); k++)
        g_ptr_array_add (types, (gpointer) ph_complex_real_type (output->type));
    }
  return ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op_type = node->op_type,
                                            .domain = node->domain,
                                            .inputs = (PhValue **) inputs->pdata,
                                            .n_inputs = inputs->len,
                                            .n_outputs = types->len,
                                            .output_types = (const PhType *const *) types->pdata,
                                            .attrs = (PhAttr *const *) node->attrs->pdata,
                                            .n_attrs = node->attrs->len,
                                            .before = b->before,
                                            .role = b->role,
                                            .partner = b->partner,
                                            .device = b->device },
                            &b->error);
}

static PhValue *
add_argument (PhGraph *body, const PhValue *argument, GError **error)
{
  return ph_graph_add_input (body, ph_graph_unique_name (body, argument->name), ph_complex_real_type (argument->type), NULL,
                             G_MAXUINT, error);
}

/* Adds both parts of the next @n arguments, which belong to one operand: all real parts come first. @stand_ins: (out) what stands for each. */
static gboolean
add_arguments (PhComplex *self, PhGraph *from, guint first, guint n, PhBuilder *b, PhValue **stand_ins)
{
  PhValue *parts[2][2] = { { NULL } };
  const gboolean split = ph_complex_is (self, from->inputs->pdata[first]);

  for (guint which = 0; which < (split ? 2 : 1); which++)
    for (guint k = 0; k < n; k++)
      if ((parts[k][which] = add_argument (b->graph, from->inputs->pdata[first + k], &b->error)) == NULL)
        return FALSE;
  for (guint k = 0; k < n; k++)
    {
      const PhValue *old = from->inputs->pdata[first + k];
      const PhComplexPair pair = { parts[k][0], parts[k][1] };

      stand_ins[first + k] = split ? ph_complex_stand_in (self, old->type, pair, b) : pair.re;
      if (stand_ins[first + k] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Splits the nodes of @body. What pairs stand for then stays, unread. */
static gboolean
split_inside (PhComplex *self, PhGraph *body, char **stays, GError **error)
{
  for (PhNode *node = body->first, *next; node != NULL; node = next)
    {
      PhBuilder b = { .graph = body, .before = node, .role = node->role, .partner = node->partner, .device = node->device };
      const char *name = ph_convert_name (node);
      gboolean gone = FALSE;

      next = node->next;
      if (ph_complex_is_holder (node) || !ph_complex_touches (self, node))
        continue;
      if (name == NULL || !ph_complex_split_node (self, node, name, &b, &gone, stays) || b.error != NULL)
        {
          ph_builder_finish (&b, error);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
set_outputs (PhComplex *self, PhGraph *body, PhValue *const *values, guint n, GError **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  PhBuilder b = { .graph = body };

  for (guint i = 0; i < n; i++)
    if (!add_parts (self, values[i], &b, outputs))
      return ph_builder_finish (&b, error) && FALSE;
  for (guint i = 0; i < outputs->len; i++)
    if (!ph_graph_set_output (body, i, outputs->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* Removes what nobody reads, at once: rules that read the body know real operators only. */
static gboolean
clear_body (PhGraph *body, GError **error)
{
  for (PhNode *node = body->last, *before; node != NULL; node = before)
    {
      gboolean is_read = FALSE;

      before = node->prev;
      for (guint i = 0; i < node->outputs->len; i++)
        is_read = is_read || ph_value_n_uses (ph_node_output (node, i)) > 0;
      if (!is_read && !ph_graph_remove_node (node, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_sort (const PhNode *node)
{
  return strcmp (node->op_type, "sort") == 0;
}

/* Returns TRUE if what goes into @body and what comes out is complex where the operands and results of @node are. A comparator takes two
 * elements of each operand, and gives a truth value. */
static gboolean
fits (PhComplex *self, const PhNode *node, const PhGraph *body)
{
  gboolean same = TRUE;

  if (is_sort (node))
    return TRUE;
  for (guint i = 0; i < body->inputs->len && body->inputs->len == node->inputs->len; i++)
    same = same && ph_complex_is (self, body->inputs->pdata[i]) == ph_complex_is (self, node->inputs->pdata[i]);
  for (guint i = 0; i < body->outputs->len && body->outputs->len == node->outputs->len; i++)
    same = same && ph_complex_is (self, body->outputs->pdata[i]) == ph_complex_is (self, node->outputs->pdata[i]);
  return same;
}

static gboolean
split_body (PhComplex *self, PhNode *node, PhGraph *from, PhNode *made, PhBuilder *b, char **stays)
{
  /* A comparator has the elements of each operand beside each other. */
  const guint n = is_sort (node) && from->inputs->len % 2 == 0 ? 2 : 1;
  PhGraph *body = ph_node_add_graph (made, from->attr, from->name, &b->error);
  PhBuilder inner = { .graph = body };
  g_autofree PhValue **stand_ins = g_new0 (PhValue *, from->inputs->len + 1),
                     **outputs = g_new0 (PhValue *, from->outputs->len + 1);
  gboolean ok = body != NULL;

  for (guint i = 0; ok && i < from->inputs->len; i += n)
    ok = add_arguments (self, from, i, n, &inner, stand_ins);
  /* Copies of the body's nodes read complex values, until they are split. */
  ok = ok && ph_build_copy (&inner, from, stand_ins, outputs, NULL) && split_inside (self, body, stays, &inner.error)
       && set_outputs (self, body, outputs, from->outputs->len, &inner.error) && clear_body (body, &inner.error);
  return ph_builder_finish (&inner, &b->error) && ok;
}

gboolean
ph_complex_split_bodies (PhComplex *self, PhNode *node, PhBuilder *b, char **stays)
{
  PhNode *made = new_node (self, node, b);

  if (made == NULL)
    return FALSE;
  for (guint i = 0; i < node->graphs->len; i++)
    if (!fits (self, node, node->graphs->pdata[i]) || !split_body (self, node, node->graphs->pdata[i], made, b, stays))
      return FALSE;
  for (guint i = 0, k = 0; i < node->outputs->len; i++)
    {
      PhValue *output = ph_node_output (node, i), *re = ph_node_output (made, k++);

      if (ph_complex_is (self, output) ? !ph_complex_keep (self, output, (PhComplexPair) { re, ph_node_output (made, k++) }, b)
                                       : !ph_value_replace_uses (output, re, &b->error))
        return FALSE;
    }
  return TRUE;
}
