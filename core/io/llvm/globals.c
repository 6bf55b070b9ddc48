/* globals.c: an LLVM module without function bodies: its globals, declarations and types, and the uses between them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/import.h"

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || strchr ("-$._", c) != NULL;
}

/* Returns the next "@x" or "@"odd name"" at or after *@at, which is advanced. (transfer full) (nullable) */
static char *
next_global (const char **at)
{
  const char *from = strchr (*at, '@'), *end;

  if (from == NULL)
    return NULL;
  if (from[1] == '"' && (end = strchr (from + 2, '"')) != NULL)
    {
      *at = end + 1;
      return g_strdup_printf ("@%.*s", (int) (end - from - 2), from + 2);
    }
  for (end = from + 1; *end != '\0' && is_name (*end); end++)
    ;
  *at = end;
  return g_strndup (from, (gsize) (end - from));
}

/* "global" of "@x = internal global i32 0", "declare" of "declare i32 @f()". */
static const char *
kind_of (const char *text)
{
  static const char *const kinds[] = { "global", "constant", "alias", "ifunc" };
  g_auto (GStrv) words = NULL;

  if (g_str_has_prefix (text, "declare "))
    return "declare";
  words = g_strsplit (text, " ", -1);
  for (guint i = 0; words[i] != NULL; i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      if (g_str_equal (words[i], kinds[k]))
        return kinds[k];
  return NULL;
}

static void
free_nodes (gpointer data)
{
  g_ptr_array_unref (data);
}

static PhModel *
read_globals (PhSource *source, const PhLlvmModule *module, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) texts = g_ptr_array_new (), owned = g_ptr_array_new_with_free_func (free_nodes);
  g_autoptr (GArray) nodes = g_array_new (FALSE, TRUE, sizeof (PhImportNode));
  PhImporter importer = { source, model, TRUE, NULL };

  for (guint i = 0; i < module->others->len; i++)
    {
      const char *text = module->others->pdata[i], *at = text;
      const char *kind = *text == '@' || g_str_has_prefix (text, "declare ") ? kind_of (text) : NULL;
      g_autofree char *name = kind != NULL ? next_global (&at) : NULL;
      GPtrArray *outputs, *attrs;

      if (name == NULL || !g_hash_table_add (known, (gpointer) ph_importer_name (&importer, name)))
        continue;
      outputs = g_ptr_array_new ();
      attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
      g_ptr_array_add (owned, outputs);
      g_ptr_array_add (owned, attrs);
      g_ptr_array_add (texts, (gpointer) at);
      g_ptr_array_add (outputs, (gpointer) ph_importer_name (&importer, name));
      g_ptr_array_add (attrs, ph_attr_new_string (ph_intern ("text"), text));
      g_array_append_vals (nodes,
                           &(PhImportNode) { .op_type = kind,
                                             .domain = "llvm",
                                             .name = outputs->pdata[0],
                                             .outputs = (const char *const *) outputs->pdata,
                                             .n_outputs = 1,
                                             .attrs = (PhAttr *const *) attrs->pdata,
                                             .n_attrs = 1 },
                           1);
    }
  for (guint i = 0; i < nodes->len; i++)
    {
      PhImportNode *node = &g_array_index (nodes, PhImportNode, i);
      GPtrArray *inputs = g_ptr_array_new ();
      char *name;

      g_ptr_array_add (owned, inputs);
      for (const char *at = texts->pdata[i]; (name = next_global (&at)) != NULL; g_free (name))
        {
          const char *used = ph_importer_name (&importer, name);

          if (g_hash_table_contains (known, used) && !g_ptr_array_find (inputs, used, NULL))
            g_ptr_array_add (inputs, (gpointer) used);
        }
      node->inputs = (const char *const *) inputs->pdata;
      node->n_inputs = inputs->len;
    }
  ph_model_set_opset (model, "llvm", 1);
  ph_source_problem (source, "No function in it has a body: what is drawn is its globals and declarations");
  if (!ph_import_graph (
          &importer, model->graph,
          &(PhImportGraph) { .name = "main", .nodes = (const PhImportNode *) (gpointer) nodes->data, .n_nodes = nodes->len },
          error))
    return NULL;
  return g_steal_pointer (&model);
}

PhModel *
ph_llvm_model_of (PhSource *source, const PhLlvmModule *module, GError **error)
{
  return module->functions->len == 0 && module->others->len + module->n_metadata > 0
             ? read_globals (source, module, error)
             : ph_llvm_model (source, module->functions, NULL, error);
}
