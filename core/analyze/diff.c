/* diff.c: the differences between two positions of a history, from the journal.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/diff.h"

#include "core/analyze/past-names.h"
#include "core/graph/net.h"
#include "core/number.h"
#include "core/ops/op.h"

static char *
input_field (PhPastNames *names, const PhNetField *field, PhId node_id)
{
  const PhNode *node = ph_model_find_node (names->model, node_id);
  const PhOp *op = node != NULL ? node->op : NULL;

  if (op != NULL && field->index < PH_MAX_ARGS && op->inputs[field->index].name != NULL)
    return g_strdup_printf ("input %u '%s'", field->index, op->inputs[field->index].name);
  return g_strdup_printf ("input %u", field->index);
}

/* Appends a constant's type, since its name alone does not distinguish it. */
static void
add_type (PhTensor *tensor, char **text)
{
  g_autofree char *type = ph_type_to_string (ph_type_of_tensor (tensor)), *plain = *text;

  *text = g_strdup_printf ("%s (%s)", plain, type);
}

/* Formats 9,216, the same in every locale. */
static char *
grouped (gsize number)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "%" G_GSIZE_FORMAT, number);
  for (gssize i = (gssize) text->len - 3; i > 0; i -= 3)
    g_string_insert_c (text, i, ',');
  return g_string_free (text, FALSE);
}

/* Describes the change of a constant: the first element that differs, and how much differs in all. */
static void
describe_tensors (PhPastNames *names, const PhNetField *field, gboolean backwards, PhFieldChange *text)
{
  PhTensor *a = ph_history_find_tensor (names->history, names->model, &names->tensors, backwards ? field->after : field->before);
  PhTensor *b = ph_history_find_tensor (names->history, names->model, &names->tensors, backwards ? field->before : field->after);
  g_autofree char *first = NULL, *largest = NULL, *name = NULL, *other = NULL, *before = NULL, *after = NULL;
  PhTensorChange change;

  if (a == NULL || b == NULL)
    {
      /* Equal names, but only one of the two is a constant. */
      if (g_str_equal (text->before, text->after) && a != NULL)
        add_type (a, &text->before);
      if (g_str_equal (text->before, text->after) && b != NULL)
        add_type (b, &text->after);
      return;
    }
  if (!ph_tensor_change (a, b, &change))
    {
      add_type (a, &text->before);
      add_type (b, &text->after);
      return;
    }
  text->tensor = g_memdup2 (&change, sizeof change);
  first = ph_tensor_change_place (&change, change.first);
  largest = ph_tensor_change_place (&change, change.largest);
  name = g_steal_pointer (&text->before);
  before = ph_number_to_string ("%.9g", change.before);
  after = ph_number_to_string ("%.9g", change.after);
  text->before = g_strdup_printf ("%s%s = %s", name, first, before);
  other = g_steal_pointer (&text->after);
  if (change.count == 1)
    text->after = g_steal_pointer (&after);
  else
    {
      g_autofree char *changed = grouped (change.changed), *count = grouped (change.count),
                      *most = ph_number_to_string ("%.6g", change.most);

      text->after = g_strdup_printf ("%s, %s of %s elements, largest change %s at %s", after, changed, count, most, largest);
    }
}

/* An attribute that a node lacks has no value, but where it lies without one: its name says its block. */
static char *
attribute_text (PhPastNames *names, PhId id, const char *name, const PhAttr *attr)
{
  const PhNode *node = attr == NULL && strcmp (name, PH_BLOCK_ATTR) == 0 ? ph_model_find_node (names->model, id) : NULL;
  g_autofree char *scope = node != NULL ? ph_node_scope (node) : NULL;

  if (attr != NULL)
    return ph_attr_value_to_string (attr);
  return scope != NULL && *scope != '\0' ? g_strdup_printf ("\"%s\"", scope) : g_strdup ("(none)");
}

static void
add_field (PhNodeChange *change, PhPastNames *names, const PhNetField *field, PhId node, gboolean backwards)
{
  g_autofree char *name = NULL;
  PhFieldChange text = { 0 };

  switch (field->kind)
    {
    case PH_NET_INPUT:
      name = input_field (names, field, node);
      text.before = ph_past_names_value (names, field->before);
      text.after = ph_past_names_value (names, field->after);
      if (field->before != field->after && g_str_equal (text.before, text.after))
        {
          ph_past_names_add_maker (names, field->before, &text.before);
          ph_past_names_add_maker (names, field->after, &text.after);
        }
      break;
    case PH_NET_ATTR:
      name = g_strdup_printf ("attribute %s", field->name);
      text.before = attribute_text (names, node, field->name, field->old_attr);
      text.after = attribute_text (names, node, field->name, field->new_attr);
      break;
    case PH_NET_TYPE:
      {
        g_autofree char *value = ph_past_names_value (names, field->value);
        name = g_strdup_printf ("type of %s", value);
        text.before = ph_type_to_string (field->old_type);
        text.after = ph_type_to_string (field->new_type);
        break;
      }
    default: g_assert_not_reached ();
    }
  if (backwards)
    {
      char *swap = text.before;
      text.before = text.after;
      text.after = swap;
    }
  if (field->kind == PH_NET_INPUT)
    describe_tensors (names, field, backwards, &text);
  if (node != change->id)
    {
      g_autofree char *label = ph_past_names_node (names, node), *plain = g_steal_pointer (&name);

      name = g_strdup_printf ("inside n%u %s: %s", node, label, plain);
    }
  text.field = ph_intern (name);
  g_array_append_val (change->fields, text);
}

static void
field_change_clear (gpointer data)
{
  PhFieldChange *field = data;

  g_free (field->before);
  g_free (field->after);
  g_free (field->tensor);
}

static void
node_change_free (gpointer data)
{
  PhNodeChange *change = data;

  g_free (change->label);
  g_clear_pointer (&change->fields, g_array_unref);
  g_clear_pointer (&change->fused_into, g_array_unref);
  g_clear_pointer (&change->fused_from, g_array_unref);
  g_clear_pointer (&change->followers, g_array_unref);
  g_free (change);
}

static int
by_change_then_id (gconstpointer a, gconstpointer b)
{
  static const int rank[] = { 0, 2, 1, 3 }; /* removed, added, changed */
  const PhNodeChange *x = *(PhNodeChange *const *) a, *y = *(PhNodeChange *const *) b;

  if ((x->follows != PH_NO_ID) != (y->follows != PH_NO_ID))
    return x->follows != PH_NO_ID ? 1 : -1;
  if (x->change != y->change)
    return rank[x->change] - rank[y->change];
  return x->id < y->id ? -1 : x->id > y->id;
}

/* Collects the original ids behind @id: the nodes it replaced, or itself if it existed at the start. */
static void
add_sources (PhDiff *diff, GHashTable *sources, PhId id, GArray **into)
{
  GArray *older = g_hash_table_lookup (sources, GUINT_TO_POINTER (id));
  const PhNodeChange *change = g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (id));

  if (older != NULL)
    {
      g_hash_table_steal (sources, GUINT_TO_POINTER (id));
      if (*into == NULL || (*into)->len < older->len)
        {
          GArray *smaller = *into;

          *into = older;
          older = smaller;
        }
      if (older != NULL)
        {
          g_array_append_vals (*into, older->data, older->len);
          g_array_unref (older);
        }
    }
  if (change != NULL && change->change == PH_CHANGE_REMOVED)
    {
      if (*into == NULL)
        *into = g_array_new (FALSE, FALSE, sizeof (PhId));
      g_array_append_val (*into, id);
    }
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  const PhId x = *(const PhId *) a, y = *(const PhId *) b;

  return x < y ? -1 : x > y;
}

/* Notes @ids under the names of what a node makes, and of what the compiler says that it was made from. */
static void
add_named (GHashTable **named, const PhNodeRecord *record, const GArray *ids)
{
  g_auto (GStrv) given = ph_origin_given (record);

  if (*named == NULL)
    *named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; pass == 0 ? i < record->n_outputs : given != NULL && given[i] != NULL; i++)
      {
        const char *name = pass == 0 ? record->output_names[i] : given[i];
        GArray *all = g_hash_table_lookup (*named, name);

        if (all == NULL)
          g_hash_table_insert (*named, g_strdup (name), all = g_array_new (FALSE, FALSE, sizeof (PhId)));
        g_array_append_vals (all, ids->data, ids->len);
      }
}

/* Returns what went away of what the compiler says that a node was made from. (nullable) (transfer full) */
static GArray *
find_named (GHashTable *named, const PhNodeRecord *record)
{
  g_auto (GStrv) given = ph_origin_given (record);
  GArray *found = NULL;

  for (guint i = 0; given != NULL && given[i] != NULL; i++)
    {
      const GArray *ids = g_hash_table_lookup (named, given[i]);

      if (ids == NULL)
        continue;
      if (found == NULL)
        found = g_array_new (FALSE, FALSE, sizeof (PhId));
      for (guint k = 0; k < ids->len; k++)
        {
          gboolean there = FALSE;

          for (guint n = 0; n < found->len && !there; n++)
            there = g_array_index (found, PhId, n) == g_array_index (ids, PhId, k);
          if (!there)
            g_array_append_val (found, g_array_index (ids, PhId, k));
        }
    }
  return found;
}

/* Finds fusions: nodes removed in a rewrite that adds others were fused into these, also over several rewrites; not in a rewrite of the
 * whole graph, which another program or model made. */
static void
find_fusions (PhDiff *diff, PhHistory *history, guint first, guint end, gboolean backwards)
{
  const PhEditKind coming = backwards ? PH_EDIT_REMOVE_NODE : PH_EDIT_ADD_NODE,
                   going = backwards ? PH_EDIT_ADD_NODE : PH_EDIT_REMOVE_NODE;
  g_autoptr (GHashTable) sources = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < history->rewrites->len; i++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, backwards ? history->rewrites->len - 1 - i : i);
      g_autoptr (GHashTable) named = NULL;
      GArray *gone = NULL;
      gboolean used = FALSE;

      if (rewrite->first_edit < first || rewrite->first_edit >= end || rewrite->node == PH_NO_ID)
        continue;
      for (guint k = rewrite->first_edit; k < rewrite->first_edit + rewrite->n_edits; k++)
        {
          const PhEdit *edit = history->edits->pdata[k];
          GArray *own = NULL;

          if (edit->kind != going)
            continue;
          add_sources (diff, sources, edit->id, &own);
          if (own == NULL)
            continue;
          if (!backwards)
            add_named (&named, edit->spec, own);
          if (gone == NULL)
            gone = g_array_new (FALSE, FALSE, sizeof (PhId));
          g_array_append_vals (gone, own->data, own->len);
          g_array_unref (own);
        }
      for (guint k = rewrite->first_edit; gone != NULL && k < rewrite->first_edit + rewrite->n_edits; k++)
        {
          const PhEdit *edit = history->edits->pdata[k];
          GArray *from;

          if (edit->kind != coming)
            continue;
          from = named != NULL ? find_named (named, edit->spec) : NULL;
          if (from == NULL)
            {
              from = used ? g_array_copy (gone) : gone;
              used = TRUE;
            }
          g_hash_table_replace (sources, GUINT_TO_POINTER (edit->id), from);
        }
      if (gone != NULL && !used)
        g_array_unref (gone);
    }
  g_hash_table_iter_init (&iter, sources);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      PhNodeChange *change = g_hash_table_lookup (diff->by_id, key);
      GArray *from = value;

      if (change == NULL || change->change != PH_CHANGE_ADDED)
        continue;
      g_array_sort (from, by_id);
      change->fused_from = g_array_ref (from);
      for (guint i = 0; i < from->len; i++)
        {
          PhNodeChange *source = g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (g_array_index (from, PhId, i)));

          if (source->fused_into == NULL)
            source->fused_into = g_array_new (FALSE, FALSE, sizeof (PhId));
          g_array_append_val (source->fused_into, change->id);
        }
    }
  for (guint i = 0; i < diff->nodes->len; i++)
    if (((PhNodeChange *) diff->nodes->pdata[i])->fused_into != NULL)
      g_array_sort (((PhNodeChange *) diff->nodes->pdata[i])->fused_into, by_id);
}

#define MOST_INSIDE 64

/* Adds the changes in the bodies of a node that still exists. */
static void
add_inside (PhNodeChange *change, PhPastNames *names, GHashTable *net, const GArray *inside, gboolean backwards)
{
  for (guint i = 0; i < inside->len && i < MOST_INSIDE; i++)
    {
      const PhId id = g_array_index (inside, PhId, i);
      const PhNetNode *node = g_hash_table_lookup (net, GUINT_TO_POINTER (id));
      g_autofree char *label = ph_past_names_node (names, id);
      const gboolean stays = node->before && node->after, comes = node->before == backwards;
      PhFieldChange text = { .field = "inside" };

      /* Skip nodes that have a row of their own, or contain others that have one. */
      if (stays && (node->inside != NULL && (node->fields == NULL || node->fields->len == 0)))
        continue;
      if (stays && node->hidden)
        {
          for (guint f = 0; f < node->fields->len; f++)
            if (g_array_index (node->fields, PhNetField, f).kind != PH_NET_TYPE)
              add_field (change, names, &g_array_index (node->fields, PhNetField, f), id, backwards);
          continue;
        }
      text.before = stays || !comes ? g_strdup_printf ("n%u %s", id, label) : g_strdup ("(none)");
      text.after = stays ? g_strdup ("changed") : comes ? g_strdup_printf ("n%u %s", id, label) : g_strdup ("(none)");
      g_array_append_val (change->fields, text);
    }
  if (inside->len > MOST_INSIDE)
    g_array_append_val (change->fields, ((PhFieldChange) { "inside", g_strdup_printf ("%u more nodes", inside->len - MOST_INSIDE),
                                                           g_strdup ("changed"), NULL }));
}

static void
fold_followers (PhDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++)
    {
      PhNodeChange *change = diff->nodes->pdata[i];
      PhNodeChange *cause = change->follows != PH_NO_ID ? g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (change->follows))
                                                        : NULL;

      if (cause == NULL)
        continue;
      if (cause->followers == NULL)
        cause->followers = g_array_new (FALSE, FALSE, sizeof (PhId));
      g_array_append_val (cause->followers, change->id);
    }
}

PhDiff *
ph_diff_new (PhHistory *history, PhModel *model, PhPosition a, PhPosition b)
{
  gboolean backwards = ph_position_compare (a, b) > 0;
  guint first = ph_history_edit_index (history, backwards ? b : a);
  guint end = ph_history_edit_index (history, backwards ? a : b);
  g_autoptr (GHashTable) net = ph_net_new_counted (history, model, first, end);
  g_auto (PhPastNames) names = { history, model, NULL, NULL, NULL, NULL };
  PhDiff *diff = g_new0 (PhDiff, 1);
  GHashTableIter iter;
  gpointer data;

  diff->nodes = g_ptr_array_new_with_free_func (node_change_free);
  diff->by_id = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const PhNetNode *node = data;
      PhNodeChange *change;

      if (node->hidden)
        continue;
      change = g_new0 (PhNodeChange, 1);
      change->id = node->id;
      if (node->before && node->after)
        change->change = PH_CHANGE_CHANGED;
      else
        change->change = node->before == backwards ? PH_CHANGE_ADDED : PH_CHANGE_REMOVED;
      change->label = ph_past_names_node (&names, node->id);
      if (change->change == PH_CHANGE_CHANGED)
        {
          change->fields = g_array_new (FALSE, FALSE, sizeof (PhFieldChange));
          g_array_set_clear_func (change->fields, field_change_clear);
          for (guint i = 0; node->fields != NULL && i < node->fields->len; i++)
            add_field (change, &names, &g_array_index (node->fields, PhNetField, i), node->id, backwards);
          if (node->inside != NULL)
            add_inside (change, &names, net, node->inside, backwards);
          change->follows = node->follows;
          if (node->follows != PH_NO_ID)
            diff->n_following++;
          else
            diff->n_changed++;
        }
      else if (change->change == PH_CHANGE_ADDED)
        diff->n_added++;
      else
        diff->n_removed++;
      g_ptr_array_add (diff->nodes, change);
      g_hash_table_insert (diff->by_id, GUINT_TO_POINTER (node->id), change);
    }
  g_ptr_array_sort (diff->nodes, by_change_then_id);
  fold_followers (diff);
  find_fusions (diff, history, first, end, backwards);
  return diff;
}

void
ph_diff_free (PhDiff *diff)
{
  g_ptr_array_unref (diff->nodes);
  g_hash_table_unref (diff->by_id);
  g_free (diff);
}
