/* alias.c: views, and operators that write in place. After a write, all variables of the tensor refer to the result; a write through a view
 * is scattered back into the view's base, and other views of the base are computed anew on their next use.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/alias.h"
#include "core/io/torch/call.h"
#include "core/io/torch/torch.h"

typedef enum
{
  SHARES,
  MAY_SHARE,
  PART
} Sharing;

/* How a view is written back: by the same operator, or by one that scatters a part into the whole; NULL if it cannot be. */
/* clang-format off */
static const struct { const char *op; Sharing sharing; const char *back; } views[] = {
  { "select", PART, "select_scatter" }, { "slice", PART, "slice_scatter" }, { "narrow", PART, "slice_scatter" },
  { "view", SHARES, "view_as" }, { "_unsafe_view", SHARES, "view_as" }, { "view_as", SHARES, "view_as" }, { "unsqueeze", SHARES, "view_as" }, { "squeeze", SHARES, "view_as" },
  { "unflatten", SHARES, "view_as" }, { "transpose", SHARES, "transpose" }, { "swapaxes", SHARES, "swapaxes" }, { "swapdims", SHARES, "swapdims" }, { "t", SHARES, "t" }, { "numpy_T", SHARES, "numpy_T" },
  { "mT", SHARES, "mT" }, { "permute", SHARES, "permute" }, { "detach", SHARES, "" }, { "alias", SHARES, "" }, { "view_of", SHARES, "" }, { "requires_grad_", SHARES, "" },
  { "expand", SHARES, NULL }, { "expand_as", SHARES, NULL }, { "split", SHARES, NULL }, { "split_with_sizes", SHARES, NULL }, { "chunk", SHARES, NULL }, { "unbind", SHARES, NULL }, { "tensor_split", SHARES, NULL }, { "hsplit", SHARES, NULL }, { "vsplit", SHARES, NULL }, { "dsplit", SHARES, NULL },
  { "diagonal", PART, "diagonal_scatter" }, { "unfold", SHARES, NULL }, { "movedim", SHARES, NULL }, { "real", SHARES, NULL },
  { "reshape", MAY_SHARE, NULL }, { "reshape_as", MAY_SHARE, NULL }, { "flatten", MAY_SHARE, NULL }, { "contiguous", MAY_SHARE, NULL }, { "to", MAY_SHARE, NULL }, { "type_as", MAY_SHARE, NULL },
  { "float", MAY_SHARE, NULL }, { "cpu", MAY_SHARE, NULL }, { "cuda", MAY_SHARE, NULL }, { "dropout", MAY_SHARE, NULL }, { "feature_dropout", MAY_SHARE, NULL }, { "double", MAY_SHARE, NULL },
};
/* clang-format on */

static int
find_view (const char *op)
{
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    if (g_str_equal (views[i].op, op))
      return (int) i;
  return -1;
}

gboolean
ph_torch_is_in_place (const char *op)
{
  const gsize n = strlen (op);

  return n > 1 && op[n - 1] == '_' && op[n - 2] != '_' && !g_str_equal (op, "requires_grad_") && !g_str_equal (op, "detach_");
}

PhTorchVal *
ph_torch_root (PhTorchVal *val)
{
  while (val->base != NULL)
    val = val->base;
  return val;
}

void
ph_torch_note_view (PhTorchVal *result, const char *op, PhTorchVal *of)
{
  if (result->kind != PH_TORCH_VALUE || of == NULL || of->kind != PH_TORCH_VALUE || find_view (op) < 0)
    return;
  result->base = of;
  result->seen = ph_torch_root (of)->version;
}

void
ph_torch_share (PhTorch *torch, PhTorchVal *made, PhTorchVal *val)
{
  PhTorchVal *pair[] = { ph_torch_root (made), ph_torch_root (val) };

  for (; pair[1] != NULL; pair[1] = pair[1]->stands_for)
    for (guint i = 0; i < 2 && pair[0] != pair[1] && pair[0]->kind == PH_TORCH_VALUE && pair[1]->kind == PH_TORCH_VALUE; i++)
      {
        PhTorchShare *share = ph_py_alloc (torch->own, sizeof *share);

        *share = (PhTorchShare) { pair[1 - i], pair[i]->shares };
        pair[i]->shares = share;
      }
}

/* What may be @object is not known any more once that is written into. */
static void
spoil_shares (const PhTorchVal *of, const PhTorchVal *object)
{
  for (const PhTorchShare *share = of->shares; share != NULL; share = share->next)
    if (share->with != object && share->with->spoiled == NULL)
      {
        share->with->spoiled = object->name;
        spoil_shares (share->with, object);
      }
}

const char *
ph_torch_current (PhTorchScope *scope, const PhPy *at, PhTorchVal *val)
{
  PhTorchVal *root = ph_torch_root (val);
  PhSketchNode *again;
  const int kind = val->base != NULL && val->node != NULL ? find_view (val->node->node.op_type) : -1;
  const char *of, *name;

  if (root->spoiled == NULL && (val->base == NULL || val->seen == root->version))
    return val->name;
  if (root->spoiled != NULL || kind < 0 || val->node->outputs->len != 1 || views[kind].sharing == MAY_SHARE)
    {
      ph_torch_fail (
          scope, at,
          "'%s' may share its memory with '%s', which was written into in place: write x = x + y instead of x += y there",
          val->name, root->spoiled != NULL ? root->spoiled : root->name);
      return val->name;
    }
  of = ph_torch_current (scope, at, val->base);
  again = ph_torch_add_node (scope, at, val->node->node.op_type, val->node->node.domain);
  for (guint i = 0; i < val->node->inputs->len; i++)
    ph_sketch_node_input (again, i == 0 ? of : val->node->inputs->pdata[i]);
  for (guint i = 0; i < val->node->attrs->len; i++)
    ph_sketch_node_attr (again, ph_attr_ref (val->node->attrs->pdata[i]));
  name = ph_sketch_node_output (again, val->name, val->node->types->pdata[0]);
  ph_torch_name_node (scope, again);
  if (scope->graph == val->graph)
    {
      val->name = name;
      val->node = again;
      val->seen = root->version;
    }
  return name;
}

/* Returns the inverse of a known permutation. */
static PhAttr *
inverse (const PhSketchNode *node)
{
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      gint64 perm[PH_MAX_RANK];

      if (!g_str_equal (attr->name, "dims") || attr->kind != PH_ATTR_INTS || attr->n > PH_MAX_RANK)
        continue;
      for (gsize k = 0; k < attr->n; k++)
        {
          const gint64 to = attr->ints[k] < 0 ? attr->ints[k] + (gint64) attr->n : attr->ints[k];

          if (to < 0 || to >= (gint64) attr->n)
            return NULL;
          perm[to] = (gint64) k;
        }
      return ph_attr_new_ints (attr->name, perm, attr->n);
    }
  return NULL;
}

/* narrow (dim, start, length) as slice (dim, start, end). */
static gboolean
put_bounds (const PhSketchNode *from, PhSketchNode *node)
{
  gint64 start = 0, length = -1, dim = 0;

  for (guint i = 0; i < from->attrs->len; i++)
    {
      const PhAttr *attr = from->attrs->pdata[i];

      if (attr->kind != PH_ATTR_INT)
        continue;
      start = g_str_equal (attr->name, "start") ? attr->i : start;
      length = g_str_equal (attr->name, "length") ? attr->i : length;
      dim = g_str_equal (attr->name, "dim") ? attr->i : dim;
    }
  if (length < 0 || from->inputs->len > 1)
    return FALSE;
  ph_sketch_node_int (node, "dim", dim);
  ph_sketch_node_int (node, "start", start);
  if (start >= 0 || start + length < 0)
    ph_sketch_node_int (node, "end", start + length);
  return TRUE;
}

/* Returns TRUE if what is written into @val can be put back into what it is a view of. @attr: the inverse of a permutation. */
static gboolean
can_put_back (const PhTorchVal *val, int kind, PhAttr **attr)
{
  return !(kind < 0 || views[kind].back == NULL || val->node->outputs->len != 1
           || (val->node->inputs->len > 1 && views[kind].sharing == PART && !g_str_equal (val->node->node.op_type, "select")
               && !g_str_equal (val->node->node.op_type, "slice"))
           || (g_str_equal (views[kind].back, "permute") && (*attr = inverse (val->node)) == NULL));
}

gboolean
ph_torch_write (PhTorchScope *scope, const PhPy *at, PhTorchVal *val, const char *name)
{
  const int kind = val->base != NULL && val->node != NULL ? find_view (val->node->node.op_type) : -1;
  PhTorchVal *root = ph_torch_root (val);
  PhAttr *attr = NULL;

  if (root->graph != scope->graph || val->graph != scope->graph)
    return ph_torch_fail (
        scope, at,
        "what it writes into in place ('%s') is shared with what is outside of this branch or loop: write x = x + y instead of x += y there",
        val->name);
  if (val->base != NULL && !can_put_back (val, kind, &attr)) /* what it is a view of is not known any more */
    {
      PhTorchVal *base = val->base;

      val->base = NULL;
      ph_torch_share (scope->torch, val, base);
    }
  if (val->base != NULL)
    {
      PhSketchNode *back;
      const char *whole, *of;

      of = ph_torch_current (scope, at, val->base);
      if (*views[kind].back == '\0')
        whole = name;
      else
        {
          back = ph_torch_add_node (scope, at, views[kind].back, PH_TORCH_ATEN);
          if (views[kind].sharing == PART)
            ph_sketch_node_input (back, of);
          ph_sketch_node_input (back, name);
          if (g_str_equal (views[kind].back, "view_as"))
            ph_sketch_node_input (back, of);
          if (attr != NULL)
            ph_sketch_node_attr (back, attr);
          else if (g_str_equal (val->node->node.op_type, "narrow"))
            {
              if (!put_bounds (val->node, back))
                {
                  ph_sketch_node_output (back, root->name, NULL);
                  return ph_torch_fail (scope, at, "it writes in place into a part of '%s' whose length is computed", root->name);
                }
            }
          else if (!g_str_equal (views[kind].back, "view_as"))
            for (guint i = 0; i < val->node->attrs->len; i++)
              {
                const PhAttr *given = val->node->attrs->pdata[i];

                if (g_str_has_suffix (given->name, "_input")) /* its inputs follow the part */
                  ph_sketch_node_int (back, given->name, given->i + 1);
                else
                  ph_sketch_node_attr (back, ph_attr_ref (val->node->attrs->pdata[i]));
              }
          for (guint i = 1; views[kind].sharing == PART && i < val->node->inputs->len; i++)
            ph_sketch_node_input (back, val->node->inputs->pdata[i]);
          whole = ph_sketch_node_output (back, val->base->name, NULL);
          ph_torch_name_node (scope, back);
        }
      if (!ph_torch_write (scope, at, val->base, whole))
        return FALSE;
      val->seen = root->version;
    }
  else
    {
      val->version++;
      spoil_shares (val, val);
    }
  val->name = name;
  return TRUE;
}

/* ── lists ── */

#define MAX_KEYS 500

static gboolean
is_dict (const PhTorchVal *val)
{
  return val->kind == PH_TORCH_TUPLE && val->py != NULL && val->py->kind == PH_PY_DICT && val->items != NULL
         && val->py->n >= 2 * val->items->len;
}

/* Where @key is among the keys of @dict; their number: it is not there. FALSE: that is not known. */
static gboolean
find_key (const PhTorchVal *dict, const PhTorchVal *key, guint *at)
{
  g_autofree char *text = NULL;

  if (key->kind != PH_TORCH_LITERAL || (key->py->kind != PH_PY_STRING && key->py->kind != PH_PY_INT))
    return FALSE;
  text = ph_py_to_string (key->py);
  for (*at = 0; *at < dict->items->len; ++*at)
    {
      const PhPy *own = dict->py->items[2 * *at];
      g_autofree char *each = own != NULL ? ph_py_to_string (own) : NULL;

      if (own == NULL || (own->kind != PH_PY_STRING && own->kind != PH_PY_INT))
        return FALSE;
      if (g_str_equal (each, text))
        return TRUE;
    }
  return TRUE;
}

/* The keys of @dict, without that at @gone, and with @key (nullable) at their end. */
static const PhPy *
new_keys (PhTorch *torch, const PhTorchVal *dict, guint gone, const PhPy *key)
{
  PhPy *made = ph_py_alloc (torch->own, sizeof *made);

  *made = *dict->py;
  made->n = 0;
  made->items = ph_py_alloc (torch->own, 2 * (dict->items->len + 1) * sizeof *made->items);
  for (guint i = 0; i <= dict->items->len; i++)
    if (i != gone && (i < dict->items->len || key != NULL))
      for (guint k = 0; k < 2; k++)
        made->items[made->n++] = i < dict->items->len ? dict->py->items[2 * i] : (PhPy *) key;
  return made;
}

/* FALSE: the key is not known. */
static gboolean
set_key (PhTorch *torch, PhTorchVal *dict, const PhTorchVal *key, PhTorchVal *value)
{
  guint at;

  if (!find_key (dict, key, &at) || at >= MAX_KEYS)
    return FALSE;
  if (at < dict->items->len)
    dict->items->pdata[at] = value;
  else
    {
      dict->py = new_keys (torch, dict, G_MAXUINT, key->py);
      g_ptr_array_add (dict->items, value);
    }
  return TRUE;
}

/* Returns what @key stood for. (nullable) */
static PhTorchVal *
drop_key (PhTorch *torch, PhTorchVal *dict, const PhTorchVal *key)
{
  guint at;

  if (!find_key (dict, key, &at) || at == dict->items->len)
    return NULL;
  dict->py = new_keys (torch, dict, at, NULL);
  return g_ptr_array_steal_index (dict->items, at);
}

PhTorchVal *
ph_torch_write_list (PhTorchScope *scope, const PhPy *at, const char *op, GPtrArray *args)
{
  static const char *const writers[] = { "append", "extend",    "insert", "pop",         "clear",  "remove", "reverse",
                                         "sort",   "_set_item", "Delete", "__delitem__", "update", "add_",   NULL };
  PhTorchVal *list = args->len > 0 ? args->pdata[0] : NULL, *last = args->len > 0 ? args->pdata[args->len - 1] : NULL;
  const gboolean removes = g_str_equal (op, "Delete") || g_str_equal (op, "__delitem__");
  gboolean known = TRUE;
  PhTorchVal *sorted;
  gint64 i = -1;

  if (list == NULL || list->items == NULL || !g_strv_contains (writers, op))
    return NULL;
  if (g_str_equal (op, "add_")) /* l += [x] */
    op = "extend";
  if (list->graph != scope->graph)
    {
      ph_torch_fail (scope, at, "it changes a list of outside of this branch or loop");
      return NULL;
    }
  if (g_str_equal (op, "append") && list->kind == PH_TORCH_LIST && args->len == 2)
    g_ptr_array_add (list->items, last);
  else if (g_str_equal (op, "extend") && list->kind == PH_TORCH_LIST && args->len == 2 && last->kind == PH_TORCH_LIST
           && last != list)
    g_ptr_array_extend (list->items, last->items, NULL, NULL);
  else if (g_str_equal (op, "clear") && list->kind == PH_TORCH_LIST)
    g_ptr_array_set_size (list->items, 0);
  else if (g_str_equal (op, "reverse") && list->kind == PH_TORCH_LIST)
    for (guint a = 0, b = list->items->len; a + 1 < b--; a++)
      {
        gpointer item = list->items->pdata[a];

        list->items->pdata[a] = list->items->pdata[b];
        list->items->pdata[b] = item;
      }
  else if (g_str_equal (op, "sort") && list->kind == PH_TORCH_LIST && args->len == 1
           && (sorted = ph_torch_sorted (scope->torch, list->items)) != NULL)
    list->items = sorted->items;
  else if (g_str_equal (op, "insert") && list->kind == PH_TORCH_LIST && args->len == 3 && ph_torch_is_int (args->pdata[1], &i)
           && i >= 0)
    g_ptr_array_insert (list->items, (int) MIN (i, (gint64) list->items->len), last);
  else if (g_str_equal (op, "pop") && list->kind == PH_TORCH_LIST && list->items->len > 0
           && (args->len == 1
               || (ph_torch_is_int (last, &i) && i >= -(gint64) list->items->len && i < (gint64) list->items->len)))
    return g_ptr_array_steal_index (list->items, (guint) (i < 0 ? i + list->items->len : i));
  else if (g_str_equal (op, "_set_item") && list->kind == PH_TORCH_LIST && args->len == 3 && ph_torch_is_int (args->pdata[1], &i)
           && i >= -(gint64) list->items->len && i < (gint64) list->items->len)
    list->items->pdata[i < 0 ? i + list->items->len : i] = last;
  else if (is_dict (list) && g_str_equal (op, "_set_item") && args->len == 3)
    known = set_key (scope->torch, list, args->pdata[1], last);
  else if (is_dict (list) && g_str_equal (op, "update") && args->len == 2 && is_dict (last))
    for (guint k = 0; known && k < last->items->len; k++)
      known = set_key (scope->torch, list, ph_torch_literal (scope->torch, last->py->items[2 * k]), last->items->pdata[k]);
  else if (is_dict (list) && args->len >= 2 && (removes || g_str_equal (op, "pop")))
    {
      PhTorchVal *gone = drop_key (scope->torch, list, args->pdata[1]);

      if (removes && gone != NULL)
        return list;
      if (!removes && (gone != NULL || args->len == 3))
        return gone != NULL ? gone : last;
      known = FALSE;
    }
  else if (removes && list->kind == PH_TORCH_LIST && args->len == 2 && ph_torch_is_int (last, &i)
           && i >= -(gint64) list->items->len && i < (gint64) list->items->len)
    g_ptr_array_remove_index (list->items, (guint) (i < 0 ? i + list->items->len : i));
  else
    known = FALSE;
  if (!known)
    ph_torch_fail (scope, at, "'%s' changes a list or dictionary in a way that is not known when the file is read", op);
  return known ? list : NULL;
}

/* ── values written in a body ── */

/* "o" of torch.select (o, 0, i), of a view of that, and of "o" itself. (nullable) */
static const char *
viewed_name (const PhPy *py)
{
  while (py != NULL && py->kind == PH_PY_CALL && py->items[0]->kind == PH_PY_ATTRIBUTE && find_view (py->items[0]->text) >= 0)
    py = !ph_py_is_name (py->items[0]->items[0], "torch") ? py->items[0]->items[0] : py->n > 1 ? py->items[1] : NULL;
  return py != NULL && py->kind == PH_PY_NAME ? py->text : NULL;
}

static void
written_by (const PhPy *py, GHashTable *into, guint depth)
{
  static const char *const lists[] = { "append", "extend", "insert", "pop", "clear", "reverse", "_set_item", "setitem", NULL };

  if (py == NULL || depth > PH_PY_MAX_DEPTH * 6)
    return;
  if (py->kind == PH_PY_CALL && py->items[0]->kind == PH_PY_ATTRIBUTE
      && (ph_torch_is_in_place (py->items[0]->text) || g_strv_contains (lists, py->items[0]->text)))
    {
      const char *self = viewed_name (py->items[0]->items[0]), *first = py->n > 1 ? viewed_name (py->items[1]) : NULL;

      if (first != NULL)
        g_hash_table_add (into, (gpointer) first);
      if (self != NULL)
        g_hash_table_add (into, (gpointer) self);
    }
  for (guint i = 0; i < py->n; i++)
    written_by (py->items[i], into, depth + 1);
}

void
ph_torch_written (PhPy *const *body, guint n, GHashTable *into)
{
  for (guint i = n; i-- > 0;) /* a view is made before it is written into */
    {
      const PhPy *target = body[i]->kind == PH_PY_ASSIGN && body[i]->n == 2 ? body[i]->items[0] : NULL;
      const char *of = target != NULL && target->kind == PH_PY_NAME ? viewed_name (body[i]->items[1]) : NULL;

      written_by (body[i], into, 0);
      ph_torch_written (body[i]->body, body[i]->n_body, into);
      ph_torch_written (body[i]->orelse, body[i]->n_orelse, into);
      if (of != NULL && g_hash_table_contains (into, target->text))
        g_hash_table_add (into, (gpointer) of);
    }
}
