/* module.c: parses a module of MLIR text. Aliases and resources may be used before they are defined, so they are collected first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/forms.h"

void
ph_mlir_free (PhMlirModule *module)
{
  if (module == NULL)
    return;
  g_ptr_array_unref (module->owned);
  g_ptr_array_unref (module->arrays);
  g_ptr_array_unref (module->ptr_arrays);
  g_ptr_array_unref (module->tensors);
  g_free (module);
}

static void
free_array (gpointer array)
{
  g_array_free (array, TRUE);
}

/* Collects the "name: "0x..."" pairs in {-# dialect_resources: { builtin: { ... } } #-}, at any depth. */
static void
find_resources (PhMlirParser *parser, const char *p)
{
  parser->p = p;
  ph_mlir_next (parser);
  while (parser->token.kind != PH_MLIR_END)
    {
      const char *name = parser->token.kind == PH_MLIR_ID || parser->token.kind == PH_MLIR_QUOTED ? ph_mlir_text (parser) : NULL;

      ph_mlir_next (parser);
      if (name == NULL || !ph_mlir_take (parser, ':') || parser->token.kind != PH_MLIR_QUOTED)
        continue;
      g_autoptr (GBytes) bytes = ph_mlir_hex (parser->token.start + 1, (gsize) (parser->token.end - parser->token.start) - 2);

      if (bytes != NULL)
        g_hash_table_insert (parser->resources, (gpointer) name, g_steal_pointer (&bytes));
    }
}

/* Aliases are defined at the beginning of a line. */
static void
find_aliases (PhMlirParser *parser)
{
  const char *resources = NULL;
  guint line = parser->line;

  for (const char *p = parser->begin; p < parser->end;)
    {
      const char *eol = memchr (p, '\n', (gsize) (parser->end - p)), *q = p;

      if (eol == NULL)
        eol = parser->end;
      if (eol - p >= 3 && memcmp (p, "{-#", 3) == 0)
        resources = p + 3;
      if (*p == '#' || *p == '!')
        {
          for (q++; q < eol && (g_ascii_isalnum (*q) || strchr ("_$.-", *q) != NULL); q++)
            ;
          g_autofree char *name = g_strndup (p, (gsize) (q - p));

          while (q < eol && *q == ' ')
            q++;
          if (q < eol && *q == '=' && name[1] != '\0')
            {
              PhMlirAlias *alias = ph_mlir_new (parser, sizeof *alias);

              alias->p = q + 1;
              alias->line = line;
              g_hash_table_insert (parser->aliases, (gpointer) ph_intern (name), alias);
            }
        }
      line++;
      p = eol + 1;
    }
  if (resources != NULL)
    find_resources (parser, resources);
}

PhMlirModule *
ph_mlir_parse (PhSource *source, const char *text, gsize size, guint line, GError **error)
{
  g_autoptr (PhMlirModule) module = g_new0 (PhMlirModule, 1);
  g_autoptr (GHashTable) aliases = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) resources = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  /* clang-format off */
  PhMlirParser parser = {
    .module = module, .source = source, .begin = text, .end = text + size, .p = text, .line_start = text, .line = line,
    .aliases = aliases, .resources = resources, .scopes = scopes
  };
  /* clang-format on */

  module->source = source;
  module->owned = g_ptr_array_new_with_free_func (g_free);
  module->arrays = g_ptr_array_new_with_free_func (free_array);
  module->ptr_arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  module->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  find_aliases (&parser);
  if (parser.error == NULL)
    {
      parser.p = parser.line_start = text;
      parser.line = line;
      ph_mlir_parse_top (&parser);
    }
  g_clear_pointer (&parser.types, g_hash_table_unref);
  if (parser.error == NULL)
    return g_steal_pointer (&module);
  g_propagate_error (error, parser.error);
  return NULL;
}

static gboolean
is_split (const char *p, const char *eol)
{
  return eol - p >= 8 && memcmp (p, "// -----", 8) == 0 && memchr (p + 8, 'I', (gsize) (eol - p - 8)) == NULL;
}

GPtrArray *
ph_mlir_parse_all (PhSource *source, const char *text, gsize size, GError **error)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_mlir_free);
  const char *end = text + size, *from = text;
  guint line = 1, from_line = 1, broken = 0;
  g_autoptr (GError) first = NULL;

  for (const char *p = text; p <= end; line++)
    {
      const char *eol = p < end ? memchr (p, '\n', (gsize) (end - p)) : NULL;

      if (eol == NULL)
        eol = end;
      if (eol == end || is_split (p, eol))
        {
          const char *to = eol == end && !is_split (p, eol) ? end : p;
          g_autoptr (GError) reason = NULL;
          PhMlirModule *module = ph_mlir_parse (source, from, (gsize) (to - from), from_line, &reason);

          if (module != NULL)
            g_ptr_array_add (modules, module);
          else if (!g_error_matches (reason, PH_ERROR, PH_ERROR_INVALID))
            {
              g_propagate_error (error, g_steal_pointer (&reason));
              return NULL;
            }
          else if (first == NULL)
            first = g_error_copy (reason);
          broken += module == NULL;
          if (module == NULL && broken <= 10)
            ph_source_problem (source, "What is written from line %u to the next '// -----' was left out: %s", from_line,
                               reason->message);
          from = eol < end ? eol + 1 : end;
          from_line = line + 1;
        }
      p = eol + 1;
    }
  if (broken > 0 && broken >= modules->len) /* no collection of tests: a file that is broken */
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return NULL;
    }
  return g_steal_pointer (&modules);
}

/* ── functions ── */

static gboolean
ends_module (const PhMlirOp *op)
{
  return g_str_has_suffix (op->name, "module");
}

gboolean
ph_mlir_is_container (const PhMlirOp *op)
{
  const PhMlirBlock *block;

  if (!ends_module (op) || op->symbol == NULL || g_str_equal (op->name, "builtin.module") || op->regions->len != 1)
    return ends_module (op);
  block = ((PhMlirRegion *) op->regions->pdata[0])->blocks->pdata[0];
  for (guint i = 0; i < block->ops->len; i++)
    {
      const PhMlirOp *inner = block->ops->pdata[i];

      if ((ends_module (inner) || g_str_has_suffix (inner->name, "func")) && inner->results->len == 0)
        return TRUE;
    }
  return block->ops->len == 0 && block->arguments->len == 0;
}

gboolean
ph_mlir_is_function (const PhMlirOp *op)
{
  return g_str_has_suffix (op->name, "func") || (ends_module (op) && !ph_mlir_is_container (op));
}

static void
find_functions (const PhMlirRegion *region, GPtrArray *functions)
{
  for (guint b = 0; b < region->blocks->len; b++)
    {
      const PhMlirBlock *block = region->blocks->pdata[b];

      for (guint i = 0; i < block->ops->len; i++)
        {
          PhMlirOp *op = block->ops->pdata[i];

          if (ph_mlir_is_function (op) && op->regions->len > 0 && op->symbol != NULL)
            g_ptr_array_add (functions, op);
          else if (ph_mlir_is_container (op))
            for (guint r = 0; r < op->regions->len; r++)
              find_functions (op->regions->pdata[r], functions);
        }
    }
}

GPtrArray *
ph_mlir_functions (GPtrArray *modules)
{
  GPtrArray *functions = g_ptr_array_new ();

  for (guint i = 0; i < modules->len; i++)
    find_functions (((PhMlirModule *) modules->pdata[i])->top, functions);
  return functions;
}
