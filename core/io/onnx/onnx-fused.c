/* onnx-fused.c: writes a fused node as a call of a model-local function, so that any ONNX runtime can run it. Nodes with the same body
 * share one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-export.h"

#include <string.h>

static void
number (PhExport *export, const PhValue *value)
{
  g_autofree char *text = g_strdup_printf ("%u", g_hash_table_size (export->aliases));

  g_hash_table_insert (export->aliases, (gpointer) value, ph_arena_strndup (export->arena, text, strlen (text)));
}

static void
number_graph (PhExport *export, const PhGraph *graph)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    number (export, graph->inputs->pdata[i]);
  for (guint i = 0; i < graph->constants->len; i++)
    number (export, graph->constants->pdata[i]);
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; i < node->outputs->len; i++)
        number (export, node->outputs->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        number_graph (export, node->graphs->pdata[i]);
    }
}

static Onnx__FunctionProto *
make_function (PhExport *export, PhNode *node)
{
  gboolean needs_own = FALSE;
  Onnx__FunctionProto *function = ph_export_body (export, ph_node_graph (node, "body"), &needs_own);

  function->domain = (char *) PH_OWN_DOMAIN;
  function->n_attribute = node->attrs->len;
  function->attribute = ph_arena_alloc (export->arena, MAX (node->attrs->len, 1) * sizeof (gpointer));
  for (guint i = 0; i < node->attrs->len; i++)
    function->attribute[i] = (char *) ((PhAttr *) node->attrs->pdata[i])->name;
  function->opset_import = ph_export_opsets (export, needs_own, &function->n_opset_import);
  return function;
}

/* Returns @wanted with a numeric suffix if another function has that name. */
static const char *
unique_function_name (PhExport *export, const char *wanted)
{
  const char *name = wanted;

  for (guint i = 2; g_hash_table_contains (export->function_names, name); i++)
    {
      g_autofree char *candidate = g_strdup_printf ("%s_%u", wanted, i);

      name = ph_intern (candidate);
    }
  g_hash_table_add (export->function_names, (gpointer) name);
  return name;
}

void
ph_export_box (PhExport *export, PhNode *node)
{
  for (guint i = 0; i < node->graphs->len; i++)
    {
      gboolean needs_own = FALSE;
      Onnx__FunctionProto *function = ph_export_body (export, node->graphs->pdata[i], &needs_own);

      function->domain = (char *) PH_OWN_DOMAIN;
      function->name = (char *) unique_function_name (export, *node->name != '\0' ? node->name : node->op_type);
      function->opset_import = ph_export_opsets (export, needs_own, &function->n_opset_import);
      g_ptr_array_add (export->functions, function);
    }
}

const char *
ph_export_fused (PhExport *export, PhNode *node)
{
  GHashTable *aliases = export->aliases;
  gboolean nameless = export->nameless;
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
  Onnx__FunctionProto *function;
  GBytes *key;
  const char *name;

  /* The key: the body with numbers for names. */
  export->aliases = numbers;
  export->nameless = TRUE;
  number_graph (export, ph_node_graph (node, "body"));
  function = make_function (export, node);
  function->name = (char *) node->op_type;
  key = ph_proto_to_bytes (&function->base);
  export->aliases = NULL;
  export->nameless = FALSE;
  name = g_hash_table_lookup (export->bodies, key);
  if (name != NULL)
    g_bytes_unref (key);
  else
    {
      name = unique_function_name (export, node->op_type);
      function = make_function (export, node);
      function->name = (char *) name;
      function->doc_string = (char *) node->op_type;
      g_hash_table_insert (export->bodies, key, (gpointer) name);
      g_ptr_array_add (export->functions, function);
    }
  export->aliases = aliases;
  export->nameless = nameless;
  return name;
}
