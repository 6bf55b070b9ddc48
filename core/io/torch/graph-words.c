/* graph-words.c: the words of TorchScript's graphs as text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/torch/graph-words.h"

#include <string.h>

gboolean
ph_torch_words_fail (PhTorchWords *r, const char *what)
{
  if (*r->torch->error != NULL)
    return FALSE;
  return ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_INVALID, NULL,
                         "line %u: %s, as print (model.graph) of TorchScript writes it", r->line, what);
}

/* Skips white space including newlines, and comments if @comments. */
static void
skip (PhTorchWords *r, gboolean comments)
{
  while (r->at < r->end && (g_ascii_isspace (*r->at) || (comments && *r->at == '#')))
    {
      if (*r->at == '#')
        {
          while (r->at < r->end && *r->at != '\n')
            r->at++;
          continue;
        }
      r->line += *r->at == '\n';
      r->at++;
    }
}

gboolean
ph_torch_words_take (PhTorchWords *r, const char *word)
{
  skip (r, TRUE);
  if ((gsize) (r->end - r->at) < strlen (word) || strncmp (r->at, word, strlen (word)) != 0)
    return FALSE;
  r->at += strlen (word);
  return TRUE;
}

gboolean
ph_torch_words_need (PhTorchWords *r, const char *word)
{
  g_autofree char *what = NULL;

  if (ph_torch_words_take (r, word))
    return TRUE;
  what = g_strdup_printf ("'%s' is expected here", word);
  return ph_torch_words_fail (r, what);
}

/* Returns the text before one of @stops, outside brackets and strings. (transfer full) */
char *
ph_torch_words_until (PhTorchWords *r, const char *stops)
{
  const char *start;
  gint depth = 0;

  skip (r, FALSE);
  for (start = r->at; r->at < r->end; r->at++)
    {
      if (depth == 0 && strchr (stops, *r->at) != NULL)
        break;
      if (*r->at == '"')
        {
          for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
            {
              r->line += *r->at == '\n';
              if (*r->at == '\\' && r->at + 1 < r->end)
                r->at++;
            }
          if (r->at >= r->end)
            break;
          continue;
        }
      r->line += *r->at == '\n';
      depth += strchr ("([{", *r->at) != NULL ? 1 : strchr (")]}", *r->at) != NULL ? -1 : 0;
      if (depth < 0)
        break;
    }
  return g_strchomp (g_strndup (start, (gsize) (r->at - start)));
}

/* %x.1, without the sign. (transfer full) (nullable) */
char *
ph_torch_words_name (PhTorchWords *r)
{
  const char *start;

  if (!ph_torch_words_take (r, "%"))
    return NULL;
  start = r->at;
  while (r->at < r->end && (g_ascii_isalnum (*r->at) || strchr ("_.-", *r->at) != NULL || (guchar) *r->at >= 0x80))
    r->at++;
  return r->at > start ? g_strndup (start, (gsize) (r->at - start)) : NULL;
}

/* "%a : Tensor, %b : int" */
gboolean
ph_torch_words_typed_names (PhTorchWords *r, GPtrArray *names, GPtrArray *types, const char *stops)
{
  char *name;

  while ((name = ph_torch_words_name (r)) != NULL)
    {
      g_ptr_array_add (names, name);
      g_ptr_array_add (types, ph_torch_words_take (r, ":") ? ph_torch_words_until (r, stops) : g_strdup (""));
      if (!ph_torch_words_take (r, ","))
        break;
    }
  return TRUE;
}
