/* draft.c: a graph as a reader finds it, part by part; see draft.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/draft.h"

struct _PhDraftNode
{
  PhDraft     *draft;
  PhImportNode file;
  GPtrArray   *inputs, *outputs, *types, *after;      /* (element-type char), of types PhType (nullable)  */
  GPtrArray   *attrs, *bodies, *drafts;               /* (element-type PhAttr, PhImportGraph, PhDraft)    */
};

struct _PhDraft
{
  PhImporter   *importer;
  PhImportGraph file;
  GArray       *inputs, *constants, *outputs;         /* (element-type PhImportValue)                     */
  GPtrArray    *nodes;                                /* (element-type PhDraftNode)                       */
  GArray       *described;                            /* (element-type PhImportNode) when it is finished  */
  GHashTable   *taken;                                /* interned name -> the last number behind it       */
};

static void
free_node (gpointer data)
{
  PhDraftNode *node = data;

  g_ptr_array_unref (node->inputs);
  g_ptr_array_unref (node->outputs);
  g_ptr_array_unref (node->types);
  g_ptr_array_unref (node->after);
  g_ptr_array_unref (node->attrs);
  g_ptr_array_unref (node->bodies);
  g_ptr_array_unref (node->drafts);
  g_free (node);
}

PhDraft *
ph_draft_new (PhImporter *importer, const char *name)
{
  PhDraft *draft = g_new0 (PhDraft, 1);

  draft->importer = importer;
  draft->file.name = ph_importer_name (importer, name);
  draft->inputs = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  draft->constants = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  draft->outputs = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  draft->described = g_array_new (FALSE, FALSE, sizeof (PhImportNode));
  draft->nodes = g_ptr_array_new_with_free_func (free_node);
  draft->taken = g_hash_table_new (NULL, NULL);
  return draft;
}

void
ph_draft_free (PhDraft *draft)
{
  for (guint i = 0; i < draft->constants->len; i++)
    ph_tensor_unref (g_array_index (draft->constants, PhImportValue, i).tensor);
  g_array_unref (draft->inputs);
  g_array_unref (draft->constants);
  g_array_unref (draft->outputs);
  g_array_unref (draft->described);
  g_ptr_array_unref (draft->nodes);
  g_hash_table_unref (draft->taken);
  g_free (draft);
}

const char *
ph_draft_claim (PhDraft *draft, const char *name)
{
  const char *base = ph_importer_name (draft->importer, name), *free_name;

  if (*base == '\0')
    base = ph_intern ("value");
  free_name = base;
  while (g_hash_table_contains (draft->taken, free_name))
    {
      const guint      last = GPOINTER_TO_UINT (g_hash_table_lookup (draft->taken, base)) + 1;
      g_autofree char *numbered = g_strdup_printf ("%s_%u", base, last);

      g_hash_table_insert (draft->taken, (gpointer) base, GUINT_TO_POINTER (last));
      free_name = ph_intern (numbered);
    }
  g_hash_table_insert (draft->taken, (gpointer) free_name, GUINT_TO_POINTER (0));
  return free_name;
}

gboolean
ph_draft_is_taken (PhDraft *draft, const char *name)
{
  return g_hash_table_contains (draft->taken, ph_intern (name));
}

void
ph_draft_add_input (PhDraft *draft, const char *name, const PhType *type)
{
  const PhImportValue value = { .name = name, .type = type };

  g_array_append_val (draft->inputs, value);
}

void
ph_draft_add_constant (PhDraft *draft, const char *name, PhTensor *tensor)
{
  const PhImportValue value = { .name = name, .tensor = tensor };

  g_array_append_val (draft->constants, value);
}

void
ph_draft_add_output (PhDraft *draft, const char *name)
{
  const PhImportValue value = { .name = ph_importer_name (draft->importer, name) };

  g_array_append_val (draft->outputs, value);
}

guint
ph_draft_n_outputs (PhDraft *draft)
{
  return draft->outputs->len;
}

guint
ph_draft_n_nodes (PhDraft *draft)
{
  return draft->nodes->len;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

PhDraftNode *
ph_draft_add_node (PhDraft *draft, const char *op_type, const char *domain, const char *name)
{
  PhDraftNode *node = g_new0 (PhDraftNode, 1);

  node->draft = draft;
  node->file.op_type = ph_importer_name (draft->importer, op_type);
  node->file.domain = ph_importer_name (draft->importer, domain);
  node->file.name = ph_importer_name (draft->importer, name);
  node->inputs = g_ptr_array_new ();
  node->outputs = g_ptr_array_new ();
  node->types = g_ptr_array_new ();
  node->after = g_ptr_array_new ();
  node->attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  node->bodies = g_ptr_array_new ();
  node->drafts = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_draft_free);
  g_ptr_array_add (draft->nodes, node);
  return node;
}

void
ph_draft_node_input (PhDraftNode *node, const char *name)
{
  g_ptr_array_add (node->inputs, (gpointer) ph_importer_name (node->draft->importer, name));
}

void
ph_draft_node_output (PhDraftNode *node, const char *name, const PhType *type)
{
  g_ptr_array_add (node->outputs, (gpointer) name);
  g_ptr_array_add (node->types, (gpointer) type);
}

void
ph_draft_node_attr (PhDraftNode *node, PhAttr *attr)
{
  for (guint i = 0; i < node->attrs->len; i++)
    if (((PhAttr *) node->attrs->pdata[i])->name == attr->name)
      {
        ph_attr_unref (attr);
        return;
      }
  g_ptr_array_add (node->attrs, attr);
}

void
ph_draft_node_after (PhDraftNode *node, const char *name)
{
  g_ptr_array_add (node->after, (gpointer) ph_importer_name (node->draft->importer, name));
}

void
ph_draft_node_body (PhDraftNode *node, const char *attr, PhDraft *body)
{
  body->file.attr = ph_intern (attr);
  g_ptr_array_add (node->bodies, &body->file);
  g_ptr_array_add (node->drafts, body);
}

void
ph_draft_node_where (PhDraftNode *node, const PhWhere *where)
{
  node->file.where = where;
}

/* ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a body may see of the graphs around it. */
typedef struct _Seen Seen;
struct _Seen { const Seen *outer; PhDraft *draft; };

static gboolean
is_seen (const Seen *seen, const char *name)
{
  for (; seen != NULL; seen = seen->outer)
    if (g_hash_table_contains (seen->draft->taken, name))
      return TRUE;
  return FALSE;
}

static void
need (const Seen *seen, const char *name, const char *by)
{
  if (*name == '\0' || is_seen (seen, name))
    return;
  ph_source_problem (seen->draft->importer->source, "'%s' uses '%s', which nothing in graph '%s' makes: it became an input", by, name,
                     seen->draft->file.name);
  ph_draft_add_input (seen->draft, ph_draft_claim (seen->draft, name), NULL);
}

static void
finish (PhDraft *draft, const Seen *outer)
{
  const Seen seen = { outer, draft };

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      PhDraftNode *node = draft->nodes->pdata[i];

      for (guint j = 0; j < node->inputs->len; j++)
        need (&seen, node->inputs->pdata[j], node->file.name);
    }
  for (guint i = 0; i < draft->outputs->len; i++)
    need (&seen, g_array_index (draft->outputs, PhImportValue, i).name, draft->file.name);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      PhDraftNode *node = draft->nodes->pdata[i];

      for (guint j = 0; j < node->drafts->len; j++)
        finish (node->drafts->pdata[j], &seen);
      node->file.inputs = (const char *const *) node->inputs->pdata;
      node->file.n_inputs = node->inputs->len;
      node->file.outputs = (const char *const *) node->outputs->pdata;
      node->file.n_outputs = node->outputs->len;
      node->file.output_types = (const PhType *const *) node->types->pdata;
      node->file.after = (const char *const *) node->after->pdata;
      node->file.n_after = node->after->len;
      node->file.attrs = (PhAttr *const *) node->attrs->pdata;
      node->file.n_attrs = node->attrs->len;
      node->file.bodies = (PhImportGraph *const *) node->bodies->pdata;
      node->file.n_bodies = node->bodies->len;
      node->file.part = node;
      g_array_append_val (draft->described, node->file);
    }
  draft->file.inputs = (PhImportValue *) draft->inputs->data;
  draft->file.n_inputs = draft->inputs->len;
  draft->file.constants = (PhImportValue *) draft->constants->data;
  draft->file.n_constants = draft->constants->len;
  draft->file.nodes = (PhImportNode *) draft->described->data;
  draft->file.n_nodes = draft->described->len;
  draft->file.outputs = (PhImportValue *) draft->outputs->data;
  draft->file.n_outputs = draft->outputs->len;
}

gboolean
ph_draft_import (PhDraft *draft, PhGraph *graph, GError **error)
{
  finish (draft, NULL);
  graph->name = draft->file.name;
  return ph_import_graph (draft->importer, graph, &draft->file, error);
}
