/* import.c: turns the names of a file into values, and makes its nodes in topological order; see import.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ahead.h"
#include "core/io/import-private.h"

const char *
ph_importer_name (PhImporter *importer, const char *name)
{
  g_autofree char *valid = NULL;

  if (name == NULL || name[0] == '\0')
    return "";
  if (g_utf8_validate (name, -1, NULL))
    return ph_intern (name);
  valid = g_utf8_make_valid (name, -1);
  ph_source_problem (importer->source, "The name '%s' was not UTF-8 and was corrected", valid);
  return ph_intern (valid);
}

void
ph_scope_init (PhScope *scope, PhImporter *importer, PhScope *outer, gboolean closed, PhGraph *graph, const PhImportGraph *file)
{
  *scope = (PhScope) { importer, outer, closed, graph, file, ph_names_new (), NULL };
}

void
ph_scope_clear (PhScope *scope)
{
  g_clear_pointer (&scope->names, ph_names_free);
  g_clear_pointer (&scope->written, g_hash_table_unref);
  if (scope->outer == NULL && scope->importer != NULL)
    g_clear_pointer (&scope->importer->linked, g_array_unref);
}

char *
ph_scope_describe (PhScope *scope, gsize index)
{
  const PhImportNode *node = &scope->file->nodes[index];
  const char *op = node->op_type[0] != '\0' ? node->op_type : "?";

  if (node->name[0] != '\0')
    return g_strdup_printf ("node %" G_GSIZE_FORMAT " '%s' (%s)", index, node->name, op);
  return g_strdup_printf ("node %" G_GSIZE_FORMAT " (%s)", index, op);
}

gboolean
ph_scope_blame (PhScope *scope, gconstpointer part, GError *reason, GError **error)
{
  ph_source_fail (scope->importer->source, error, (PhError) reason->code, part, "%s", reason->message);
  g_error_free (reason);
  return FALSE;
}

/* ── names ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* @closed_too: also where values cannot be seen, since names must differ from those there. */
static gpointer
look_up (PhScope *scope, const char *name, gboolean closed_too)
{
  for (; scope != NULL; scope = scope->closed && !closed_too ? NULL : scope->outer)
    {
      gpointer found = ph_names_find (scope->names, name);

      if (found != NULL)
        return found;
    }
  return NULL;
}

PhValue *
ph_scope_find (PhScope *scope, const char *name)
{
  gpointer found = look_up (scope, name, FALSE);

  return found != NULL && !IS_PENDING (found) ? found : NULL;
}

/* Returns a name for value @name of a body: names are unique among a graph and all its bodies, while a file may use one in two branches. */
static const char *
free_name (PhScope *scope, const char *name)
{
  const PhGraph *root = ph_graph_root (scope->graph);
  g_autofree char *candidate = NULL;
  guint suffix;

  if (scope->outer == NULL || (!ph_names_contain (root->names, name) && look_up (scope->outer, name, TRUE) == NULL))
    return name;
  suffix = GPOINTER_TO_UINT (g_hash_table_lookup (root->suffixes, name)); /* a name may occur in very many bodies */
  for (;;)
    {
      const char *interned;

      g_free (candidate);
      candidate = g_strdup_printf ("%s_%u", name, ++suffix);
      interned = ph_intern (candidate);
      if (!ph_names_contain (root->names, interned) && look_up (scope, interned, TRUE) == NULL)
        {
          g_hash_table_insert (root->suffixes, (gpointer) name, GUINT_TO_POINTER (suffix));
          return interned;
        }
    }
}

static void
add_written (const PhImportGraph *file, GHashTable *written)
{
  for (gsize i = 0; i < file->n_inputs; i++)
    g_hash_table_add (written, (gpointer) file->inputs[i].name);
  for (gsize i = 0; i < file->n_constants; i++)
    g_hash_table_add (written, (gpointer) file->constants[i].name);
  for (gsize i = 0; i < file->n_nodes; i++)
    {
      for (gsize j = 0; j < file->nodes[i].n_outputs; j++)
        g_hash_table_add (written, (gpointer) file->nodes[i].outputs[j]);
      for (gsize j = 0; j < file->nodes[i].n_bodies; j++)
        add_written (file->nodes[i].bodies[j], written);
    }
}

/* Makes up the name of an output without one. It is unused in the whole file, so that later values keep theirs. */
static const char *
made_up_name (PhScope *scope, const PhImportNode *node)
{
  const PhGraph *root = ph_graph_root (scope->graph);
  const char *base = ph_intern (node->name[0] != '\0' ? node->name : node->op_type), *name = base;
  guint suffix = GPOINTER_TO_UINT (g_hash_table_lookup (root->suffixes, base));

  while (scope->outer != NULL)
    scope = scope->outer;
  if (scope->written == NULL)
    {
      scope->written = g_hash_table_new (NULL, NULL);
      add_written (scope->file, scope->written);
    }
  while (ph_names_contain (root->names, name) || g_hash_table_contains (scope->written, name))
    {
      g_autofree char *candidate = g_strdup_printf ("%s_%u", base, ++suffix);

      name = ph_intern (candidate);
      g_hash_table_insert (root->suffixes, (gpointer) base, GUINT_TO_POINTER (suffix));
    }
  g_hash_table_add (scope->written, (gpointer) name);
  return name;
}

static gboolean
announce (PhScope *scope, const char *name, gsize node, gconstpointer part, GError **error)
{
  gpointer before = ph_names_find (scope->names, name);
  g_autofree char *first = NULL, *second = NULL;

  if (before == NULL)
    {
      ph_names_set (scope->names, name, PENDING (node));
      return TRUE;
    }
  first = PENDING_NODE (before) != NO_NODE ? ph_scope_describe (scope, PENDING_NODE (before))
                                           : g_strdup ("a graph input or initializer");
  second = node != NO_NODE ? ph_scope_describe (scope, node) : g_strdup ("a graph input or initializer");
  return ph_source_fail (scope->importer->source, error, PH_ERROR_INVALID, part,
                         "value '%s' is defined twice in graph '%s': by %s and by %s. "
                         "Every value needs a name of its own",
                         name, scope->graph->name, first, second);
}

#define AHEAD 12 /* nodes */

/* Prefetches the names of later nodes, since lookups in a graph of a million nodes miss the cache. */
static void
expect_outputs (const PhScope *scope, const PhNames *names, gsize node)
{
  const PhImportNode *later = node + AHEAD < scope->file->n_nodes ? &scope->file->nodes[node + AHEAD] : NULL;

  for (gsize i = 0; later != NULL && i < later->n_outputs; i++)
    ph_names_expect (names, later->outputs[i]);
}

gboolean
ph_scope_announce (PhScope *scope, GError **error)
{
  const PhImportGraph *file = scope->file;

  for (gsize i = 0; i < file->n_inputs; i++)
    if (!announce (scope, file->inputs[i].name, NO_NODE, file->inputs[i].part, error))
      return FALSE;
  for (gsize i = 0; i < file->n_constants; i++)
    if (!announce (scope, file->constants[i].name, NO_NODE, file->constants[i].part, error))
      return FALSE;
  ph_names_reserve (scope->names, file->n_nodes);
  for (gsize i = 0; i < file->n_nodes; i++)
    {
      expect_outputs (scope, scope->names, i);
      for (gsize j = 0; j < file->nodes[i].n_outputs; j++)
        if (file->nodes[i].outputs[j][0] != '\0' && !announce (scope, file->nodes[i].outputs[j], i, file->nodes[i].part, error))
          return FALSE;
    }
  return TRUE;
}

gboolean
ph_scope_add_input (PhScope *scope, const PhImportValue *input, GError **error)
{
  GError *reason = NULL;
  PhValue *value = ph_graph_add_input (scope->graph, free_name (scope, input->name), input->type, input->tensor, G_MAXUINT,
                                       &reason);

  if (value == NULL)
    return ph_scope_blame (scope, input->part, reason, error);
  ph_names_set (scope->names, input->name, value);
  return TRUE;
}

gboolean
ph_scope_add_constant (PhScope *scope, const PhImportValue *constant, GError **error)
{
  GError *reason = NULL;
  PhValue *value = ph_graph_add_constant (scope->graph, free_name (scope, constant->name), constant->tensor, &reason);

  if (value == NULL)
    return ph_scope_blame (scope, constant->part, reason, error);
  ph_names_set (scope->names, constant->name, value);
  return TRUE;
}

/* ── links ── */

/* An input of @node whose producer comes later and depends on @node: a back edge. */
typedef struct
{
  PhNode *node;
  PhScope *scope; /* that has the name */
  const char *name;
} Linked;

/* Returns the scope that will define @name; NULL if none will, or if it is defined already. */
static PhScope *
pending_scope (PhScope *scope, const char *name)
{
  for (; scope != NULL; scope = scope->closed ? NULL : scope->outer)
    {
      gpointer found = ph_names_find (scope->names, name);

      if (found != NULL)
        return IS_PENDING (found) ? scope : NULL;
    }
  return NULL;
}

/* Resolves the back edges whose value belongs to @scope, now that all its nodes exist. */
static gboolean
link_nodes (PhScope *scope, GError **error)
{
  GArray *linked = scope->importer->linked;

  for (guint i = 0; linked != NULL && i < linked->len; i++)
    {
      const Linked *link = &g_array_index (linked, Linked, i);
      const PhValue *value = link->scope == scope ? ph_scope_find (scope, link->name) : NULL;
      const PhAttr *before;
      g_autoptr (GPtrArray) names = NULL;
      g_autoptr (PhAttr) attr = NULL;

      if (value == NULL)
        continue;
      before = ph_node_attr (link->node, PH_LINKS_ATTR);
      names = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      for (guint k = 0; before != NULL && before->kind == PH_ATTR_STRINGS && k < before->n; k++)
        g_ptr_array_add (names, g_bytes_ref (before->strings[k]));
      g_ptr_array_add (names, g_bytes_new (value->name, strlen (value->name)));
      attr = ph_attr_new_strings (ph_intern (PH_LINKS_ATTR), (GBytes *const *) names->pdata, names->len);
      if (!ph_node_set_attr (link->node, PH_LINKS_ATTR, attr, error))
        return FALSE;
    }
  return TRUE;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns FALSE if node @index uses a name that nothing defines. */
static gboolean
check_names (PhScope *scope, gsize index, GError **error)
{
  const PhImportNode *node = &scope->file->nodes[index];

  for (gsize i = 0; i < node->n_inputs; i++)
    if (node->inputs[i][0] != '\0' && look_up (scope, node->inputs[i], FALSE) == NULL)
      {
        g_autofree char *label = ph_scope_describe (scope, index);

        return ph_source_fail (scope->importer->source, error, PH_ERROR_INVALID, node->part,
                               "%s uses '%s', which nothing in graph '%s' "
                               "defines: no node makes it, and it is neither an input nor an initializer",
                               label, node->inputs[i], scope->graph->name);
      }
  return TRUE;
}

static gboolean fill (PhScope *scope, GError **error);

static PhNode *
make_plain (PhScope *scope, gsize index, PhNodeSpec *spec, gpointer data, GError **error)
{
  const PhImportNode *file = &scope->file->nodes[index];
  PhNode *node;

  spec->attrs = file->attrs;
  spec->n_attrs = file->n_attrs;
  spec->output_types = file->output_types;
  spec->where = file->where;
  node = ph_graph_add_node (scope->graph, spec, error);
  for (gsize i = 0; node != NULL && i < file->n_bodies; i++)
    {
      g_auto (PhScope) inner = { 0 };
      PhGraph *body = ph_node_add_graph (node, file->bodies[i]->attr, file->bodies[i]->name, error);

      ph_scope_init (&inner, scope->importer, scope, FALSE, body, file->bodies[i]);
      if (body == NULL || !fill (&inner, error))
        return NULL;
    }
  return node;
}

static gboolean
make_node (PhScope *scope, gsize index, PhImportFunc make, gpointer data, GError **error)
{
  const PhImportNode *file = &scope->file->nodes[index];
  PhSource *source = scope->importer->source;
  g_autofree PhValue **inputs = g_new (PhValue *, file->n_inputs + 1);
  g_autofree const char **names = g_new (const char *, file->n_outputs + 1);
  /* clang-format off */
  PhNodeSpec spec = {
    .op_type = file->op_type, .domain = file->domain, .name = file->name, .inputs = inputs, .n_inputs = file->n_inputs,
    .output_names = names, .n_outputs = file->n_outputs
  };
  /* clang-format on */
  GError *reason = NULL;
  gboolean links = FALSE;
  PhNode *node;

  if (file->op_type[0] == '\0')
    return ph_source_fail (source, error, PH_ERROR_INVALID, file->part, "node %" G_GSIZE_FORMAT " of graph '%s' has no operator",
                           index, scope->graph->name);
  for (gsize i = 0; i < file->n_inputs; i++)
    {
      PhScope *from = scope->importer->links ? pending_scope (scope, file->inputs[i]) : NULL;

      inputs[i] = file->inputs[i][0] != '\0' && from == NULL ? look_up (scope, file->inputs[i], FALSE) : NULL;
      links = links || from != NULL;
    }
  while (links && spec.n_inputs > 0 && inputs[spec.n_inputs - 1] == NULL)
    spec.n_inputs--;
  for (gsize i = 0; i < file->n_outputs; i++)
    names[i] = file->outputs[i][0] != '\0' ? free_name (scope, file->outputs[i]) : made_up_name (scope, file);
  node = make != NULL ? make (scope, index, &spec, data, error) : make_plain (scope, index, &spec, NULL, &reason);
  if (node == NULL)
    return reason != NULL ? ph_scope_blame (scope, file->part, reason, error) : FALSE;
  for (gsize i = 0; links && i < file->n_inputs; i++)
    {
      const Linked link = { node, pending_scope (scope, file->inputs[i]), file->inputs[i] };

      if (scope->importer->linked == NULL)
        scope->importer->linked = g_array_new (FALSE, FALSE, sizeof (Linked));
      if (link.scope != NULL)
        g_array_append_val (scope->importer->linked, link);
    }
  for (gsize i = 0; i < file->n_outputs; i++)
    if (file->outputs[i][0] != '\0')
      ph_names_set (scope->names, file->outputs[i], ph_node_output (node, i));
  for (gsize i = 0; i < file->n_after; i++)
    {
      const PhValue *value = ph_scope_find (scope, file->after[i]);

      if (value != NULL && value->producer != NULL && value->graph == scope->graph)
        {
          if (!ph_node_add_control (node, value->producer, &reason))
            return ph_scope_blame (scope, file->part, reason, error);
        }
      else
        ph_source_problem (source, "A node must run after the one that makes '%s', which is not in its graph", file->after[i]);
    }
  return TRUE;
}

gboolean
ph_scope_add_nodes (PhScope *scope, PhImportFunc make, gpointer data, GError **error)
{
  g_autofree gsize *order = NULL;
  PhSource *source = scope->importer->source;
  PhNames *names = ph_graph_root (scope->graph)->names;

  ph_names_reserve (names, scope->file->n_nodes);
  ph_model_reserve (scope->graph->model, 2 * scope->file->n_nodes);
  for (gsize i = 0; i < scope->file->n_nodes; i++)
    {
      gsize index = order != NULL ? order[i] : i;

      expect_outputs (scope, scope->names, index);
      expect_outputs (scope, names, index);

      if (g_cancellable_set_error_if_cancelled (source->cancellable, error) || !check_names (scope, index, error))
        return FALSE;
      if (order == NULL && !ph_scope_is_ready (scope, &scope->file->nodes[index]))
        {
          order = ph_scope_sort (scope, i, error);
          if (order == NULL)
            return FALSE;
          if (order[i] != index && !scope->importer->links)
            {
              g_autofree char *label = ph_scope_describe (scope, index);

              ph_source_problem (source, "The nodes of graph '%s' are out of order, the first is %s: they were sorted",
                                 scope->graph->name, label);
            }
          index = order[i];
          if (!check_names (scope, index, error))
            return FALSE;
        }
      if (!make_node (scope, index, make, data, error))
        return FALSE;
    }
  return link_nodes (scope, error);
}

gboolean
ph_scope_set_outputs (PhScope *scope, GError **error)
{
  PhSource *source = scope->importer->source;

  for (gsize i = 0; i < scope->file->n_outputs; i++)
    {
      const PhImportValue *output = &scope->file->outputs[i];
      PhValue *value = ph_scope_find (scope, output->name);

      if (value == NULL)
        return ph_source_fail (source, error, PH_ERROR_INVALID, output->part,
                               "output %" G_GSIZE_FORMAT " of graph '%s' is '%s', "
                               "which nothing in the graph defines",
                               i, scope->graph->name, output->name);
      if (!ph_graph_set_output (scope->graph, (guint) i, value, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fill (PhScope *scope, GError **error)
{
  const PhImportGraph *file = scope->file;

  if (!ph_scope_announce (scope, error))
    return FALSE;
  for (gsize i = 0; i < file->n_inputs; i++)
    if (!ph_scope_add_input (scope, &file->inputs[i], error))
      return FALSE;
  for (gsize i = 0; i < file->n_constants; i++)
    if (!ph_scope_add_constant (scope, &file->constants[i], error))
      return FALSE;
  return ph_scope_add_nodes (scope, NULL, NULL, error) && ph_scope_set_outputs (scope, error);
}

gboolean
ph_import_graph (PhImporter *importer, PhGraph *graph, const PhImportGraph *file, GError **error)
{
  g_auto (PhScope) scope = { 0 };

  ph_scope_init (&scope, importer, NULL, FALSE, graph, file);
  return fill (&scope, error);
}
