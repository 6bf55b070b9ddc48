/* module.c: parses a module of MLIR text. Aliases and resources may be used before they are defined, so they are collected first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/build.h"
#include "core/io/mlir/forms.h"
#include "core/io/split.h"

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

      if (bytes != NULL && g_bytes_get_size (bytes) >= 4) /* four bytes give their alignment */
        g_hash_table_insert (parser->resources, g_strdup (name), g_bytes_new_from_bytes (bytes, 4, g_bytes_get_size (bytes) - 4));
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
ph_mlir_parse_with (PhSource *source, const char *text, gsize size, guint line, GHashTable *blobs, GError **error)
{
  g_autoptr (PhMlirModule) module = g_new0 (PhMlirModule, 1);
  g_autoptr (GHashTable) aliases = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  /* clang-format off */
  PhMlirParser parser = {
    .module = module, .source = source, .begin = text, .end = text + size, .p = text, .line_start = text, .line = line,
    .aliases = aliases, .resources = blobs, .scopes = scopes
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

PhMlirModule *
ph_mlir_parse (PhSource *source, const char *text, gsize size, guint line, GError **error)
{
  g_autoptr (GHashTable) blobs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);

  return ph_mlir_parse_with (source, text, size, line, blobs, error);
}

/* Returns the symbols of what a broken part would define: "func.func private @f(", "module @m", 'sym_name = "f"'. */
static GPtrArray *
find_symbols (const char *text, gsize size)
{
  g_autoptr (GRegex) regex = g_regex_new ("^\\s*(?:\\S*func\\S*|\\w+\\.module)\\b[^@\\n]*?(?:@|sym_name = \")([\\w.$-]+)",
                                          G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  GPtrArray *symbols = g_ptr_array_new ();

  g_regex_match_full (regex, text, (gssize) size, 0, 0, &match, NULL);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *symbol = g_match_info_fetch (match, 1);

      g_ptr_array_add (symbols, (gpointer) ph_intern (symbol));
    }
  if (symbols->len == 0)
    g_ptr_array_add (symbols, NULL);
  return symbols;
}

static PhMlirPart *
parse_part (PhSource *source, const char *from, const char *to, guint line)
{
  PhMlirPart *part = g_new0 (PhMlirPart, 1);

  part->line = line;
  part->module = ph_mlir_parse (source, from, (gsize) (to - from), line, &part->error);
  if (part->module == NULL)
    part->symbols = find_symbols (from, (gsize) (to - from));
  return part;
}

static void
free_part (gpointer data)
{
  PhMlirPart *part = data;

  ph_mlir_free (part->module);
  g_clear_error (&part->error);
  g_clear_pointer (&part->symbols, g_ptr_array_unref);
  g_free (part);
}

/* Adds what stands from part @first of @splits to the one that closes its brackets: one module, in which the lines between are comments,
 * unless only taking them apart gives any. */
static void
parse_joined (PhSource *source, const GArray *splits, guint first, GPtrArray *parts)
{
  const PhSplit *split = &g_array_index (splits, PhSplit, first);
  PhMlirPart *whole = parse_part (source, split->from, g_array_index (splits, PhSplit, split->last).to, split->line);
  g_autoptr (GPtrArray) apart = g_ptr_array_new_with_free_func (free_part);
  gboolean any = FALSE;

  for (guint i = first; whole->module == NULL && split->last > first && i <= split->last; i++)
    {
      const PhSplit *inner = &g_array_index (splits, PhSplit, i);

      g_ptr_array_add (apart, parse_part (source, inner->from, inner->to, inner->line));
      any = any || ((PhMlirPart *) apart->pdata[apart->len - 1])->module != NULL;
    }
  if (!any)
    g_ptr_array_add (parts, whole);
  else
    {
      free_part (whole);
      g_ptr_array_extend_and_steal (parts, g_steal_pointer (&apart));
    }
}

GPtrArray *
ph_mlir_parse_all (PhSource *source, const char *text, gsize size, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (free_part);
  g_autoptr (GArray) splits = ph_text_split (text, size, NULL);

  for (guint i = 0; i < splits->len; i = g_array_index (splits, PhSplit, i).last + 1)
    {
      const guint before = parts->len;

      parse_joined (source, splits, i, parts);
      for (guint k = before; k < parts->len; k++)
        {
          const GError *reason = ((PhMlirPart *) parts->pdata[k])->error;

          if (reason != NULL && !g_error_matches (reason, PH_ERROR, PH_ERROR_INVALID))
            {
              g_propagate_error (error, g_error_copy (reason));
              return NULL;
            }
        }
    }
  return g_steal_pointer (&parts);
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

void
ph_mlir_find_others (const PhMlirRegion *region, gboolean results, GPtrArray *ops)
{
  const PhMlirBlock *block = region->blocks->pdata[0];

  for (guint i = 0; i < block->ops->len; i++)
    {
      PhMlirOp *op = block->ops->pdata[i];

      if (ph_mlir_is_container (op))
        for (guint r = 0; r < op->regions->len; r++)
          ph_mlir_find_others (op->regions->pdata[r], results, ops);
      else if (!ph_mlir_is_function (op) && (results || op->results->len == 0))
        g_ptr_array_add (ops, op);
    }
}
