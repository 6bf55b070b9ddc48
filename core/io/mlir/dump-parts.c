/* dump-parts.c: splits the text of a module in a dump into functions; unchanged ones need not be read again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/dump-private.h"

/* "  func.func @f(...) {": how a module prints a function; its end is a line "  }". */
static gboolean
is_function (const char *p, const char *eol)
{
  return eol - p > 14 && (memcmp (p, "  func.func ", 12) == 0 || memcmp (p, "  \"func.func\"", 13) == 0) && eol[-1] == '\n'
         && eol[-2] == '{';
}

/* Returns the text after the function whose body begins at @p. (nullable) */
static const char *
function_end (const char *p, const char *end)
{
  while (p < end)
    {
      const char *eol = memchr (p, '\n', (gsize) (end - p));

      eol = eol != NULL ? eol + 1 : end;
      if (eol - p > 3 && memcmp (p, "  }", 3) == 0)
        return eol;
      p = eol;
    }
  return NULL;
}

gboolean
ph_mlir_dump_is_whole (const char *text, const char *end)
{
  for (const char *p = text; p < end;)
    {
      const char *eol = memchr (p, '\n', (gsize) (end - p));

      if (strchr ("#!/ \n\r", *p) == NULL)
        return end - p > 16 && (memcmp (p, "module", 6) == 0 || memcmp (p, "\"builtin.module\"", 16) == 0);
      p = eol != NULL ? eol + 1 : end;
    }
  return FALSE;
}

/* Returns TRUE if @op is the function whose text begins with the line at @p. */
static gboolean
is_op_of (const PhMlirOp *op, const char *p, const char *eol)
{
  g_autofree char *symbol = op->symbol != NULL ? g_strconcat ("@", op->symbol, "(", NULL) : NULL;

  return symbol != NULL && g_str_equal (op->name, "func.func") && g_strstr_len (p, eol - p, symbol) != NULL;
}

GString *
ph_mlir_dump_without_same (PhMlirDump *dump, const char *text, const char *end, GPtrArray *same)
{
  GString *rest, *aliases;

  if (!ph_mlir_dump_is_whole (text, end))
    return NULL;
  rest = g_string_new (NULL);
  aliases = g_string_new (NULL);

  for (const char *p = text; p < end;)
    {
      const char *eol = memchr (p, '\n', (gsize) (end - p)), *stop;

      eol = eol != NULL ? eol + 1 : end;
      if (*p == '#' || *p == '!' || *p == '{')
        g_string_append_len (aliases, p, eol - p);
      if (is_function (p, eol) && (stop = function_end (eol, end)) != NULL)
        {
          g_autofree char *function = g_strndup (p, (gsize) (stop - p));
          PhMlirOp *op = g_hash_table_lookup (dump->parts.ops, function);

          if (op != NULL && !g_ptr_array_find (same, op, NULL))
            {
              g_ptr_array_add (same, op);
              g_string_append (rest, "\"" PH_MLIR_SAME "\"() : () -> ()");
              for (const char *q = p; q < stop; q++)
                if (*q == '\n')
                  g_string_append_c (rest, '\n');
              p = stop;
              continue;
            }
          eol = stop;
        }
      g_string_append_len (rest, p, eol - p);
      p = eol;
    }
  if (strstr (aliases->str, "{-#") != NULL || g_strcmp0 (dump->parts.aliases, aliases->str) != 0)
    g_ptr_array_set_size (same, 0);
  g_free (dump->parts.aliases);
  dump->parts.aliases = g_string_free (aliases, FALSE);
  if (same->len == 0)
    g_string_free (g_steal_pointer (&rest), TRUE);
  return rest;
}

static gboolean
is_gone (gpointer text, gpointer op, gpointer dump)
{
  return !g_ptr_array_find (((PhMlirDump *) dump)->ops, op, NULL);
}

void
ph_mlir_dump_learn_parts (PhMlirDump *dump, const char *text, const char *end)
{
  guint n = 0;

  if (!ph_mlir_dump_is_whole (text, end))
    {
      g_hash_table_foreach_remove (dump->parts.ops, is_gone, dump);
      return;
    }
  g_hash_table_remove_all (dump->parts.ops);
  for (const char *p = text; p < end;)
    {
      const char *eol = memchr (p, '\n', (gsize) (end - p)), *stop;

      eol = eol != NULL ? eol + 1 : end;
      if (is_function (p, eol) && (stop = function_end (eol, end)) != NULL)
        {
          while (n < dump->ops->len && !is_op_of (dump->ops->pdata[n], p, eol))
            n++;
          if (n == dump->ops->len)
            break;
          g_hash_table_insert (dump->parts.ops, g_strndup (p, (gsize) (stop - p)), dump->ops->pdata[n++]);
          eol = stop;
        }
      p = eol;
    }
}
