/* structure.c: value numbering over both sides of a region.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/structure/structure.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/prove/key.h"
#include "core/prove/prove.h"
#include "core/prove/structure/shape-elements.h"
#include "core/run/executor.h"
#include "core/small-map.h"
#include "core/tensor/origin.h"

/* The kind of a key. */
enum
{
  OF_LEAF,
  OF_TENSOR,
  OF_DEFERRED,
  OF_BODY_INPUT,
  OF_ELEMENTS,
  OF_NODE
};

/* A key: @n words of the array of words, from @at on. */
typedef struct
{
  guint64 hash;
  gsize at, n;
  guint number;
} Met;

struct _PhStructure
{
  const PhRegion *region;
  PhModel *model[2];    /* before, after                                                          */
  GArray *met;          /* (element-type Met) the keys met so far; number 0 is an omitted input   */
  GArray *words;        /* (element-type guint64) the words of these keys                         */
  guint *slots;         /* (nullable) hash table of indices into @met plus 1; NULL: few keys      */
  guint n_slots;        /* a power of two                                                         */
  PhSmallMap tensors;   /* PhTensor -> number                                                     */
  GHashTable *contents; /* (nullable) PhTensor, by content -> number; NULL: few tensors           */
  PhSmallMap values[2]; /* PhValue -> number, for values computed in the region                   */
  GHashTable *folded;   /* (nullable) PhValue -> PhTensor: results that depend on constants alone */
  PhFolds folds;
  gboolean shapes;    /* elements that are computed from shapes count, not how                  */
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

/* Up to this many keys a new one is compared with each; more get a hash table. */
#define FEW 16

static guint64
hash_of (const PhKey *key)
{
  guint64 hash = key->n;

  for (gsize i = 0; i < key->n; i++)
    hash = (hash ^ key->words[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ (hash >> 29);
  return hash ^ (hash >> 32);
}

static gboolean
is_met (PhStructure *self, const Met *met, const PhKey *key, guint64 hash)
{
  return met->hash == hash && met->n == key->n
         && memcmp (&g_array_index (self->words, guint64, met->at), key->words, key->n * sizeof *key->words) == 0;
}

static guint
find_key (PhStructure *self, const PhKey *key, guint64 hash)
{
  guint at = (guint) hash & (self->n_slots - 1);

  for (guint i = 0; self->slots == NULL && i < self->met->len; i++)
    if (is_met (self, &g_array_index (self->met, Met, i), key, hash))
      return g_array_index (self->met, Met, i).number;
  for (; self->slots != NULL && self->slots[at] != 0; at = (at + 1) & (self->n_slots - 1))
    if (is_met (self, &g_array_index (self->met, Met, self->slots[at] - 1), key, hash))
      return g_array_index (self->met, Met, self->slots[at] - 1).number;
  return 0;
}

static void
fill_slot (PhStructure *self, guint which)
{
  guint at = (guint) g_array_index (self->met, Met, which).hash & (self->n_slots - 1);

  while (self->slots[at] != 0)
    at = (at + 1) & (self->n_slots - 1);
  self->slots[at] = which + 1;
}

static void
note_key (PhStructure *self, const PhKey *key, guint64 hash, guint number)
{
  const guint n = self->met->len;

  g_array_append_val (self->met, ((Met) { hash, self->words->len, key->n, number }));
  g_array_append_vals (self->words, key->words, (guint) key->n);
  if (n < FEW)
    return;
  if (self->slots == NULL || 2 * (n + 1) > self->n_slots)
    {
      g_free (self->slots);
      self->n_slots = self->n_slots > 0 ? 2 * self->n_slots : 8 * FEW;
      self->slots = g_new0 (guint, self->n_slots);
      for (guint i = 0; i < n; i++)
        fill_slot (self, i);
    }
  fill_slot (self, n);
}

/* Consumes @key. */
static guint
number_of_key (PhStructure *self, PhKey *key, guint n)
{
  const guint64 hash = hash_of (key);
  guint number = find_key (self, key, hash);

  if (number == 0)
    {
      number = self->next;
      self->next += MAX (n, 1);
      note_key (self, key, hash, number);
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

/* Returns the number of a tensor with the same content; 0: there is none. */
static guint
find_content (PhStructure *self, PhTensor *tensor)
{
  if (self->contents != NULL)
    return GPOINTER_TO_UINT (g_hash_table_lookup (self->contents, tensor));
  for (guint i = 0; i < self->tensors.n; i++)
    if (ph_tensor_equal (self->tensors.keys[i], tensor))
      return GPOINTER_TO_UINT (self->tensors.values[i]);
  return 0;
}

static void
note_tensor (PhStructure *self, PhTensor *tensor, guint number)
{
  if (self->contents == NULL && self->tensors.n == PH_SMALL_MAP_SIZE)
    {
      self->contents = g_hash_table_new (tensor_hash, tensor_equal);
      for (guint i = 0; i < PH_SMALL_MAP_SIZE; i++)
        g_hash_table_insert (self->contents, self->tensors.keys[i], self->tensors.values[i]);
    }
  if (self->contents != NULL)
    g_hash_table_insert (self->contents, tensor, GUINT_TO_POINTER (number));
  ph_small_map_set (&self->tensors, tensor, GUINT_TO_POINTER (number));
}

/* Numbers a tensor by content, but a deferred one by pointer: comparing contents would compute it. */
static guint
number_of_tensor (PhStructure *self, PhTensor *tensor)
{
  guint number = GPOINTER_TO_UINT (ph_small_map_lookup (&self->tensors, tensor));

  if (number != 0)
    return number;
  if (ph_tensor_is_deferred (tensor))
    return number_of (self, OF_DEFERRED, (gint64) GPOINTER_TO_SIZE (tensor), 0);
  number = find_content (self, tensor);
  if (number == 0)
    number = number_of (self, OF_TENSOR, self->next, 0);
  note_tensor (self, tensor, number);
  return number;
}

static GHashTable *
new_folded (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
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
  number = GPOINTER_TO_UINT (ph_small_map_lookup (&self->values[walk->side], value));
  return number != 0 ? number : number_of (self, OF_LEAF, value->id, 0);
}

static void
set_number (const Walk *walk, const PhValue *value, guint number)
{
  ph_small_map_set (&walk->self->values[walk->side], (gpointer) value, GUINT_TO_POINTER (number));
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

static guint
number_of_elements (PhStructure *self, const PhShapeElements *elements)
{
  PhKey key;

  ph_key_init (&key);
  ph_key_add_int (&key, OF_ELEMENTS);
  ph_shape_elements_add_to_key (elements, &key);
  return number_of_key (self, &key, 1);
}

/* Numbers the result of @node by its elements. Those that are numbers make it a constant. */
static gboolean
number_shape (const Walk *walk, const PhNode *node)
{
  PhStructure *self = walk->self;
  PhShapeElements elements;
  PhTensor *tensor;

  if (node->outputs->len != 1 || ph_model_opset (self->model[walk->side], "") < PH_OPSET_NEWEST
      || !ph_shape_elements_find (ph_node_output (node, 0), &elements))
    return FALSE;
  tensor = ph_shape_elements_to_tensor (&elements);
  if (tensor == NULL)
    set_number (walk, ph_node_output (node, 0), number_of_elements (self, &elements));
  else
    {
      if (self->folded == NULL)
        self->folded = new_folded ();
      g_hash_table_insert (self->folded, ph_node_output (node, 0), tensor);
    }
  return TRUE;
}

static guint
number_of_input (const Walk *walk, const PhNode *node, guint i)
{
  const PhValue *value = ph_node_input (node, i);
  PhShapeElements elements;

  return walk->self->shapes && i == 1 && node->op == &ph_op_Reshape
                 && ph_shape_elements_of_target (node, constant_of (walk->self, value), &elements)
             ? number_of_elements (walk->self, &elements)
             : number_of_value (walk, value);
}

static void
add_inputs (const Walk *walk, PhKey *key, const PhNode *node)
{
  guint n = node->inputs->len;

  while (n > 0 && ph_node_input (node, n - 1) == NULL)
    n--;
  ph_key_add_int (key, n);
  for (guint i = 0; i < n; i++)
    ph_key_add_int (key, number_of_input (walk, node, i));
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

static void
sort_by_name (const PhAttr **attrs, guint n)
{
  for (guint i = 1; i < n; i++)
    for (guint k = i; k > 0 && attrs[k]->name < attrs[k - 1]->name; k--)
      {
        const PhAttr *attr = attrs[k];

        attrs[k] = attrs[k - 1];
        attrs[k - 1] = attr;
      }
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

/* Returns TRUE if the output is the input, bit for bit. */
static gboolean
is_identity (const PhNode *node)
{
  const PhValue *value = ph_node_input (node, 0);
  const PhAttr *to = node->op == &ph_op_Cast ? ph_node_attr (node, "to") : NULL;

  if (value == NULL || (node->op != &ph_op_Identity && to == NULL))
    return FALSE;
  return to == NULL
         || (value->type != NULL && value->type->kind == PH_KIND_TENSOR && to->i == value->type->dtype && to->i != PH_UNDEFINED);
}

static gboolean
number_node (const Walk *walk, const PhNode *node)
{
  PhStructure *self = walk->self;
  const PhAttr *few[FEW];
  g_autofree const PhAttr **many = NULL;
  const PhAttr **attrs = few;
  gboolean ok = TRUE;
  PhKey key;
  guint number;

  if (ph_node_is_fused (node))
    return number_fused (walk, node);
  if (node->op == NULL || ph_node_draws (node))
    return FALSE;
  if (is_identity (node))
    {
      set_number (walk, ph_node_output (node, 0), number_of_value (walk, ph_node_input (node, 0)));
      return TRUE;
    }
  if (self->shapes && number_shape (walk, node))
    return TRUE;
  if (is_foldable (walk, node))
    {
      self->has_folds = TRUE;
      if (self->folds != PH_FOLDS_NONE && fold (walk, node))
        return TRUE;
    }
  ph_key_init (&key);
  ph_key_add_int (&key, OF_NODE);
  ph_key_add_pointer (&key, node->op);
  ph_key_add_int (&key, ph_model_opset (self->model[walk->side], node->domain));
  ph_key_add_int (&key, node->outputs->len); /* Split cuts into as many parts */
  add_inputs (walk, &key, node);
  if (node->attrs->len > FEW)
    attrs = many = g_new (const PhAttr *, node->attrs->len);
  for (guint i = 0; i < node->attrs->len; i++)
    attrs[i] = node->attrs->pdata[i];
  sort_by_name (attrs, node->attrs->len);
  ph_key_add_int (&key, node->attrs->len);
  for (guint i = 0; i < node->attrs->len; i++)
    ph_key_add_attr (&key, attrs[i], add_tensor, self);
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
ph_structure_new (const PhRegion *region, PhModel *before, PhModel *after, PhFolds folds, gboolean shapes)
{
  g_autoptr (PhStructure) self = g_new (PhStructure, 1);

  self->has_folds = FALSE;
  self->slots = NULL;
  self->n_slots = 0;
  self->contents = NULL;
  self->region = region;
  self->model[0] = before;
  self->model[1] = after;
  self->next = 1;
  self->met = g_array_sized_new (FALSE, FALSE, sizeof (Met), FEW);
  self->words = g_array_sized_new (FALSE, FALSE, sizeof (guint64), 8 * FEW);
  ph_small_map_init (&self->tensors);
  ph_small_map_init (&self->values[0]);
  ph_small_map_init (&self->values[1]);
  self->folds = folds;
  self->shapes = shapes;
  self->folded = folds != PH_FOLDS_NONE ? new_folded () : NULL;
  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;

      for (guint i = 0; i < nodes->len; i++)
        if (!number_node (&(Walk) { self, side, 0 }, nodes->pdata[i]))
          return NULL;
    }
  return g_steal_pointer (&self);
}

void
ph_structure_free (PhStructure *self)
{
  ph_small_map_clear (&self->values[0]);
  ph_small_map_clear (&self->values[1]);
  ph_small_map_clear (&self->tensors);
  g_clear_pointer (&self->contents, g_hash_table_unref);
  g_array_unref (self->met);
  g_array_unref (self->words);
  g_free (self->slots);
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
  PhSmallMapIter iter;
  gpointer value, number;
  gboolean all = TRUE;

  for (guint i = 0; i < self->region->inputs->len; i++)
    {
      const PhId id = g_array_index (self->region->inputs, PhId, i);
      PhTensor *tensor = g_hash_table_lookup (values, GUINT_TO_POINTER (id));

      if (tensor != NULL)
        g_hash_table_insert (known, GUINT_TO_POINTER (number_of (self, OF_LEAF, id, 0)), ph_tensor_ref (tensor));
    }
  ph_small_map_iter_init (&iter, &self->values[0]);
  while (ph_small_map_iter_next (&iter, &value, &number))
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
          PhTensor *tensor = constant_of (self, is);

          if (tensor == NULL)
            tensor = g_hash_table_lookup (known, ph_small_map_lookup (&self->values[1], is));

          all = all && (tensor != NULL || ph_value_n_uses (is) == 0);
          if (tensor != NULL)
            g_hash_table_insert (values, GUINT_TO_POINTER (is->id), ph_tensor_ref (tensor));
          else
            g_hash_table_remove (values, GUINT_TO_POINTER (is->id));
        }
    }
  return all;
}
