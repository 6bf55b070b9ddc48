/* structure.c: value numbering over both sides of a region.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/structure.h"

#include "core/ops/op-list.h"
#include "core/prove/key.h"
#include "core/prove/prove.h"
#include "core/run/executor.h"
#include "core/tensor/origin.h"

/* The kind of a key. */
enum
{
  OF_LEAF,
  OF_TENSOR,
  OF_DEFERRED,
  OF_BODY_INPUT,
  OF_NODE
};

struct _PhStructure
{
  const PhRegion *region;
  PhModel *model[2];     /* before, after                                                          */
  GHashTable *numbers;   /* key -> value number; 0 is an omitted input                             */
  GHashTable *tensors;   /* PhTensor, by content -> number                                         */
  GHashTable *values[2]; /* PhValue -> number, for values computed in the region                   */
  GHashTable *folded;    /* (nullable) PhValue -> PhTensor: results that depend on constants alone */
  PhFolds folds;
  gboolean has_folds; /* there are such results                                                 */
  guint next;
};

/* A walk from a body to its node. */
typedef struct
{
  PhStructure *self;
  guint side, depth;
} Walk;

static gboolean number_nodes (const Walk *walk, PhNode *first);

/* ── numbers ── */

static guint
number_of_key (PhStructure *self, PhKey *key, guint n)
{
  g_autoptr (GBytes) bytes = ph_key_to_bytes (key);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, bytes));

  if (number == 0)
    {
      number = self->next;
      self->next += MAX (n, 1);
      g_hash_table_insert (self->numbers, g_steal_pointer (&bytes), GUINT_TO_POINTER (number));
    }
  ph_key_clear (key);
  return number;
}

static guint
number_of (PhStructure *self, gint64 kind, gint64 a, gint64 b)
{
  PhKey key;

  ph_key_init (&key);
  ph_key_add_int (&key, kind);
  ph_key_add_int (&key, a);
  ph_key_add_int (&key, b);
  return number_of_key (self, &key, 1);
}

static guint
tensor_hash (gconstpointer tensor)
{
  return ph_tensor_hash ((PhTensor *) tensor);
}

static gboolean
tensor_equal (gconstpointer a, gconstpointer b)
{
  return ph_tensor_equal ((PhTensor *) a, (PhTensor *) b);
}

/* Numbers a tensor by content, but a deferred one by pointer: comparing contents would compute it. */
static guint
number_of_tensor (PhStructure *self, PhTensor *tensor)
{
  guint number;

  if (ph_tensor_is_deferred (tensor))
    return number_of (self, OF_DEFERRED, (gint64) GPOINTER_TO_SIZE (tensor), 0);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (self->tensors, tensor));

  if (number == 0)
    {
      number = number_of (self, OF_TENSOR, self->next, 0);
      g_hash_table_insert (self->tensors, tensor, GUINT_TO_POINTER (number));
    }
  return number;
}

static PhTensor *
constant_of (PhStructure *self, const PhValue *value)
{
  PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;

  return constant == NULL && value != NULL && self->folded != NULL ? g_hash_table_lookup (self->folded, value) : constant;
}

static guint
number_of_value (const Walk *walk, const PhValue *value)
{
  PhStructure *self = walk->self;
  PhTensor *constant = constant_of (self, value);
  guint number;

  if (value == NULL)
    return 0;
  if (constant != NULL)
    return number_of_tensor (self, constant);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (self->values[walk->side], value));
  return number != 0 ? number : number_of (self, OF_LEAF, value->id, 0);
}

static void
set_number (const Walk *walk, const PhValue *value, guint number)
{
  g_hash_table_insert (walk->self->values[walk->side], (gpointer) value, GUINT_TO_POINTER (number));
}

/* ── nodes ── */

/* Numbers a fused node by its body, which stands for the nodes that it replaced. */
static gboolean
number_fused (const Walk *walk, const PhNode *node)
{
  PhGraph *body = node->graphs->pdata[0];

  for (guint i = 0; i < body->inputs->len; i++)
    set_number (walk, body->inputs->pdata[i], number_of_value (walk, ph_node_input (node, i)));
  if (!number_nodes (walk, body->first))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    set_number (walk, node->outputs->pdata[i], number_of_value (walk, body->outputs->pdata[i]));
  return TRUE;
}

/* Adds a body to the key. Its inputs are identified by position, captured values by their number outside. */
static gboolean
add_body (const Walk *walk, PhKey *key, PhGraph *body)
{
  const Walk inside = { walk->self, walk->side, walk->depth + 1 };

  for (guint i = 0; i < body->inputs->len; i++)
    set_number (&inside, body->inputs->pdata[i], number_of (walk->self, OF_BODY_INPUT, inside.depth, i));
  if (!number_nodes (&inside, body->first))
    return FALSE;
  ph_key_add_pointer (key, body->attr);
  ph_key_add_int (key, body->inputs->len);
  ph_key_add_int (key, body->outputs->len);
  for (guint i = 0; i < body->outputs->len; i++)
    ph_key_add_int (key, number_of_value (&inside, body->outputs->pdata[i]));
  return TRUE;
}

static void
add_tensor (PhKey *key, PhTensor *tensor, gpointer self)
{
  ph_key_add_int (key, tensor != NULL ? number_of_tensor (self, tensor) : 0);
}

static void
add_inputs (const Walk *walk, PhKey *key, const PhNode *node)
{
  guint n = node->inputs->len;

  while (n > 0 && ph_node_input (node, n - 1) == NULL)
    n--;
  ph_key_add_int (key, n);
  for (guint i = 0; i < n; i++)
    ph_key_add_int (key, number_of_value (walk, ph_node_input (node, i)));
  if (n >= 2 && ph_node_commutes (node))
    {
      guint64 *pair = key->words + key->n - n;

      if (pair[0] > pair[1])
        {
          const guint64 other = pair[0];

          pair[0] = pair[1];
          pair[1] = other;
        }
    }
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const PhAttr *x = *(PhAttr *const *) a, *y = *(PhAttr *const *) b;

  return x->name < y->name ? -1 : x->name > y->name;
}

/* Returns TRUE if @node depends on constants alone and is at the newest opset, which the kernels expect. */
static gboolean
is_foldable (const Walk *walk, const PhNode *node)
{
  gboolean any = FALSE;

  if (node->graphs != NULL || !ph_op_executable (node->op) || ph_value_constant (ph_node_output (node, 0)) != NULL
      || ph_model_opset (walk->self->model[walk->side], "") < PH_OPSET_NEWEST)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL)
      {
        any = TRUE;
        if (constant_of (walk->self, ph_node_input (node, i)) == NULL)
          return FALSE;
      }
  return any;
}

/* Computes @node on constants, since kernels are deterministic to the last bit. Returns FALSE if that fails. */
static gboolean
fold (const Walk *walk, const PhNode *node)
{
  PhStructure *self = walk->self;
  const PhRunOptions options = { .reference = self->folds == PH_FOLDS_REFERENCE };
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, node->inputs->len + 1);
  g_autofree PhTensor **outputs = g_new0 (PhTensor *, node->outputs->len + 1);

  for (guint i = 0; i < node->inputs->len; i++)
    inputs[i] = constant_of (self, ph_node_input (node, i));
  if (!ph_run_node (node, inputs, outputs, &options, NULL))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    if (outputs[i] != NULL)
      g_hash_table_insert (self->folded, ph_node_output (node, i), outputs[i]);
  return TRUE;
}

static gboolean
number_node (const Walk *walk, const PhNode *node)
{
  PhStructure *self = walk->self;
  g_autoptr (GPtrArray) attrs = NULL;
  gboolean ok = TRUE;
  PhKey key;
  guint number;

  if (ph_node_is_fused (node))
    return number_fused (walk, node);
  if (node->op == NULL || ph_node_draws (node))
    return FALSE;
  if (node->op == &ph_op_Identity && ph_node_input (node, 0) != NULL)
    {
      set_number (walk, ph_node_output (node, 0), number_of_value (walk, ph_node_input (node, 0)));
      return TRUE;
    }
  if (is_foldable (walk, node))
    {
      self->has_folds = TRUE;
      if (self->folded != NULL && fold (walk, node))
        return TRUE;
    }
  ph_key_init (&key);
  ph_key_add_int (&key, OF_NODE);
  ph_key_add_pointer (&key, node->op);
  ph_key_add_int (&key, ph_model_opset (self->model[walk->side], node->domain));
  ph_key_add_int (&key, node->outputs->len); /* Split cuts into as many parts */
  add_inputs (walk, &key, node);
  attrs = g_ptr_array_sized_new (node->attrs->len);
  for (guint i = 0; i < node->attrs->len; i++)
    g_ptr_array_add (attrs, node->attrs->pdata[i]);
  g_ptr_array_sort (attrs, by_name);
  ph_key_add_int (&key, attrs->len);
  for (guint i = 0; i < attrs->len; i++)
    ph_key_add_attr (&key, attrs->pdata[i], add_tensor, self);
  for (guint i = 0; ok && node->graphs != NULL && i < node->graphs->len; i++)
    ok = add_body (walk, &key, node->graphs->pdata[i]);
  if (!ok)
    {
      ph_key_clear (&key);
      return FALSE;
    }
  number = number_of_key (self, &key, node->outputs->len);
  for (guint i = 0; i < node->outputs->len; i++)
    set_number (walk, node->outputs->pdata[i], number + i);
  return TRUE;
}

static gboolean
number_nodes (const Walk *walk, PhNode *first)
{
  for (PhNode *node = first; node != NULL; node = node->next)
    if (!number_node (walk, node))
      return FALSE;
  return TRUE;
}

/* ── both sides ── */

PhStructure *
ph_structure_new (const PhRegion *region, PhModel *before, PhModel *after, PhFolds folds)
{
  g_autoptr (PhStructure) self = g_new0 (PhStructure, 1);

  self->region = region;
  self->model[0] = before;
  self->model[1] = after;
  self->next = 1;
  self->numbers = g_hash_table_new_full (ph_key_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  self->tensors = g_hash_table_new (tensor_hash, tensor_equal);
  self->folds = folds;
  self->folded = folds != PH_FOLDS_NONE ? g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref) : NULL;
  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;

      self->values[side] = g_hash_table_new (NULL, NULL);
      for (guint i = 0; i < nodes->len; i++)
        if (!number_node (&(Walk) { self, side, 0 }, nodes->pdata[i]))
          return NULL;
    }
  return g_steal_pointer (&self);
}

void
ph_structure_free (PhStructure *self)
{
  g_clear_pointer (&self->values[0], g_hash_table_unref);
  g_clear_pointer (&self->values[1], g_hash_table_unref);
  g_hash_table_unref (self->tensors);
  g_hash_table_unref (self->numbers);
  g_clear_pointer (&self->folded, g_hash_table_unref);
  g_free (self);
}

gboolean
ph_structure_same (PhStructure *self)
{
  for (guint i = 0; i < self->region->outputs->len; i++)
    {
      const PhBorderPair *pair = &g_array_index (self->region->outputs, PhBorderPair, i);
      const PhValue *was = ph_model_find_value (self->model[0], pair->before),
                    *is = ph_model_find_value (self->model[1], pair->after);

      if (was == NULL || is == NULL
          || number_of_value (&(Walk) { self, 0, 0 }, was) != number_of_value (&(Walk) { self, 1, 0 }, is))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_structure_has_folds (PhStructure *self)
{
  return self->has_folds;
}

gboolean
ph_structure_carry (PhStructure *self, GHashTable *values)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref); /* by number */
  GHashTableIter iter;
  gpointer value, number;
  gboolean all = TRUE;

  for (guint i = 0; i < self->region->inputs->len; i++)
    {
      const PhId id = g_array_index (self->region->inputs, PhId, i);
      PhTensor *tensor = g_hash_table_lookup (values, GUINT_TO_POINTER (id));

      if (tensor != NULL)
        g_hash_table_insert (known, GUINT_TO_POINTER (number_of (self, OF_LEAF, id, 0)), ph_tensor_ref (tensor));
    }
  g_hash_table_iter_init (&iter, self->values[0]);
  while (g_hash_table_iter_next (&iter, &value, &number))
    {
      PhTensor *tensor = g_hash_table_lookup (values, GUINT_TO_POINTER (((PhValue *) value)->id));

      if (tensor != NULL)
        g_hash_table_insert (known, number, ph_tensor_ref (tensor));
    }
  for (guint i = 0; i < self->region->after->len; i++)
    {
      const PhNode *node = self->region->after->pdata[i];

      for (guint k = 0; k < node->outputs->len; k++)
        {
          const PhValue *is = ph_node_output (node, k);
          PhTensor *tensor = g_hash_table_lookup (known, g_hash_table_lookup (self->values[1], is));

          all = all && (tensor != NULL || ph_value_n_uses (is) == 0);
          if (tensor != NULL)
            g_hash_table_insert (values, GUINT_TO_POINTER (is->id), ph_tensor_ref (tensor));
          else
            g_hash_table_remove (values, GUINT_TO_POINTER (is->id));
        }
    }
  return all;
}
