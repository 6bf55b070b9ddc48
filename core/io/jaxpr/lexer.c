/* lexer.c: the words and types of printed jaxprs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/hlo/hlo.h"
#include "core/io/jaxpr/jaxpr.h"

gboolean
ph_jaxpr_fail (PhJaxpr *parser, const char *at, const char *format, ...)
{
  g_autofree char *text = NULL;
  guint line, column;
  va_list args;

  if (parser->error != NULL)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  ph_text_place (&parser->line, parser->begin, at, &line, &column);
  ph_source_fail_at (parser->source, &parser->error, line, column, "%s%s", text,
                     at >= parser->end ? ", but the text ends. Is it complete?" : "");
  parser->p = parser->end;
  return FALSE;
}

gpointer
ph_jaxpr_alloc (PhJaxpr *parser, gsize size)
{
  gpointer data = g_malloc0 (size + 1);

  g_ptr_array_add (parser->owned, data);
  return data;
}

GArray *
ph_jaxpr_array (PhJaxpr *parser, gsize size)
{
  GArray *array = g_array_new (FALSE, TRUE, (guint) size);

  g_ptr_array_add (parser->arrays, array);
  return array;
}

/* Skips "#" before a line that was copied from a comment. */
char
ph_jaxpr_peek (PhJaxpr *parser)
{
  while (parser->p < parser->end && (g_ascii_isspace (*parser->p) || *parser->p == '#'))
    parser->p++;
  return parser->p < parser->end ? *parser->p : 0;
}

gboolean
ph_jaxpr_take (PhJaxpr *parser, const char *token)
{
  const gsize length = strlen (token);

  if (ph_jaxpr_peek (parser) != *token || (gsize) (parser->end - parser->p) < length || memcmp (parser->p, token, length) != 0)
    return FALSE;
  if (g_ascii_isalpha (*token) && (g_ascii_isalnum (parser->p[length]) || parser->p[length] == '_'))
    return FALSE;
  parser->p += length;
  return TRUE;
}

const char *
ph_jaxpr_word (PhJaxpr *parser)
{
  const char *from;
  g_autofree char *word = NULL;

  ph_jaxpr_peek (parser);
  from = parser->p;
  if (!g_ascii_isalpha (*from) && *from != '_')
    return NULL;
  while (parser->p < parser->end
         && (g_ascii_isalnum (*parser->p) || strchr ("_'", *parser->p) != NULL
             || (*parser->p == '-' && g_ascii_isalpha (parser->p[1])) || (*parser->p == '.' && g_ascii_isalpha (parser->p[1]))))
    parser->p++;
  word = g_strndup (from, (gsize) (parser->p - from));
  return ph_intern (word);
}

gboolean
ph_jaxpr_skip (PhJaxpr *parser)
{
  char open[PH_JAXPR_MAX_DEPTH];
  guint depth = 0;

  while (parser->p < parser->end)
    {
      const char c = *parser->p;

      if (depth == 0 && (g_ascii_isspace (c) || strchr ("])},;", c) != NULL))
        return TRUE;
      if (c == '"' || (c == '\'' && (parser->p == parser->begin || !g_ascii_isalnum (parser->p[-1]))))
        {
          const char *close = memchr (parser->p + 1, c, (gsize) (parser->end - parser->p - 1));

          if (close == NULL)
            return ph_jaxpr_fail (parser, parser->p, "a text is not closed");
          parser->p = close + 1;
          continue;
        }
      if (c == '(' || c == '[' || c == '{' || (c == '<' && (g_ascii_isalpha (parser->p[1]) || parser->p[1] == '_')))
        {
          if (depth >= G_N_ELEMENTS (open))
            return ph_jaxpr_fail (parser, parser->p, "brackets are nested more than %d deep", PH_JAXPR_MAX_DEPTH);
          open[depth++] = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
        }
      else if (depth > 0 && c == open[depth - 1])
        depth--;
      else if (c == ')' || c == ']' || c == '}')
        {
          if (depth > 0 && open[depth - 1] == '>') /* it was only "less than" */
            depth--;
          else
            return ph_jaxpr_fail (parser, parser->p, "a bracket '%c' that nothing opened", c);
          continue;
        }
      parser->p++;
    }
  return depth == 0 || ph_jaxpr_fail (parser, parser->end, "a closing bracket is expected here");
}

static PhDType
dtype_of (const char *name)
{
  g_autofree char *plain = g_strdup (name), *to = NULL;
  char *out = plain;

  for (const char *p = plain; *p != '\0'; p++)
    if (*p != '_')
      *out++ = *p;
  *out = '\0';
  if (g_str_equal (plain, "bool"))
    return PH_BOOL;
  if (plain[0] == 'i' && g_ascii_isdigit (plain[1]))
    plain[0] = 's';
  return ph_hlo_dtype (plain);
}

gboolean
ph_jaxpr_type (PhJaxpr *parser, const PhType **type)
{
  const char *name, *from = parser->p;
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;

  *type = NULL;
  name = ph_jaxpr_word (parser);
  if (name == NULL || *parser->p != '[')
    return ph_jaxpr_skip (parser);
  parser->p++;
  while (!ph_jaxpr_take (parser, "]"))
    {
      const char c = ph_jaxpr_peek (parser);
      const char *word;
      char *end;

      if ((rank > 0 && !ph_jaxpr_take (parser, ",")) || rank >= PH_MAX_RANK)
        {
          parser->p = from; /* another construct, such as "Ref[...]" */
          return ph_jaxpr_skip (parser);
        }
      ph_jaxpr_peek (parser);
      if (g_ascii_isdigit (*parser->p))
        {
          const gint64 size = g_ascii_strtoll (parser->p, &end, 10);

          dims[rank++] = PH_DIM (size);
          parser->p = end;
        }
      else if ((word = ph_jaxpr_word (parser)) != NULL && strchr (",]", *parser->p) != NULL)
        dims[rank++] = ph_dim_symbol (word);
      else if (c == 0)
        return ph_jaxpr_fail (parser, parser->end, "']' is expected here");
      else
        {
          dims[rank++] = PH_DIM_UNKNOWN; /* "2*n + 1" */
          while (parser->p < parser->end && *parser->p != ',' && *parser->p != ']')
            parser->p++;
        }
    }
  if (dtype_of (name) != PH_UNDEFINED)
    *type = ph_type_tensor (dtype_of (name), rank, dims);
  return ph_jaxpr_skip (parser); /* "{...}", "@memory" */
}
