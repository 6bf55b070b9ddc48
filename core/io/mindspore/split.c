/* split.c: takes a graph that MindSpore dumped as text apart; see split.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/mindspore/split.h"

#include <string.h>

#include "core/intern.h"

/* In a key it stands on both sides of a name that is read. */
#define QUOTE '\001'

typedef struct
{
  PhStatements *statements;
  const char *end;
  GArray *names; /* (element-type Span) by number */
  GString *key;
} Splitting;

typedef struct
{
  const char *text;
  gsize size;
} Span;

static const char *
skip_blanks (const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  return p;
}

/* Whether the line at @p begins a node: "%2(name) = ". */
static gboolean
begins_node (const char *p, const char *end)
{
  p = skip_blanks (p, end);
  return end - p > 1 && *p == '%' && g_ascii_isdigit (p[1]);
}

static gboolean
ends_graph (const char *p, const char *end)
{
  p = skip_blanks (p, end);
  return end - p > 6 && g_ascii_strncasecmp (p, "return", 6) == 0;
}

/* Appends @text to the key, names for numbers. Returns FALSE if nothing has one of the numbers. */
static gboolean
add_key (Splitting *splitting, const char *p, const char *end)
{
  while (p < end)
    {
      const char *mark = memchr (p, '%', (gsize) (end - p)), *digit = mark != NULL ? mark + 1 : end;
      guint number = 0;
      Span name;

      g_string_append_len (splitting->key, p, (mark != NULL ? mark : end) - p);
      for (; digit < end && g_ascii_isdigit (*digit) && number < G_MAXUINT / 16; digit++)
        number = number * 10 + (guint) (*digit - '0');
      p = digit;
      if (mark == NULL)
        return TRUE;
      if (digit == mark + 1)
        {
          g_string_append_c (splitting->key, '%');
          continue;
        }
      if (number >= splitting->names->len)
        return FALSE;
      name = g_array_index (splitting->names, Span, number);
      g_string_append_c (splitting->key, QUOTE);
      g_string_append_len (splitting->key, name.text, (gssize) name.size);
      g_string_append_c (splitting->key, QUOTE);
    }
  return TRUE;
}

/* Nodes are numbered from 0 on; without a name of its own a node is called by its number. */
static gboolean
add_node (Splitting *splitting, const char *line, const char *next)
{
  const char *p = skip_blanks (line, next), *equals = g_strstr_len (p, next - p, " = "), *open = p + 1, *close;
  Span name = { p + 1, 0 };
  guint number = 0;

  if (equals == NULL)
    return FALSE;
  for (; g_ascii_isdigit (*open) && number < G_MAXUINT / 16; open++)
    number = number * 10 + (guint) (*open - '0');
  name.size = (gsize) (open - name.text);
  if (number != splitting->names->len)
    return FALSE;
  close = equals - 1;
  if (*open == '(' && *close == ')' && close - open > 1)
    name = (Span) { open + 1, (gsize) (close - open) - 1 };
  else if (open != equals)
    return FALSE;
  g_string_truncate (splitting->key, 0);
  g_string_append_len (splitting->key, name.text, (gssize) name.size);
  if (memchr (name.text, '\n', name.size) != NULL || !add_key (splitting, equals, next))
    return FALSE;
  g_array_append_val (splitting->names, name);
  return ph_statements_add (splitting->statements, PH_STATEMENT_VALUE, line, next, splitting->key->str, splitting->key->len,
                            name.text, name.size);
}

/* Returns the first line of the graph's body, if there is one graph alone. (nullable) */
static const char *
find_body (const char *text, const char *end)
{
  const char *body = NULL;

  for (const char *p = text, *next; p < end; p = next)
    {
      const char *at = skip_blanks (p, end);

      next = ph_text_line_after (p, end);
      if (at == end || (*at != '@' && (end - at < 10 || memcmp (at, "subgraph @", 10) != 0))
          || memchr (at, '{', (gsize) (next - at)) == NULL)
        continue;
      if (body != NULL)
        return NULL;
      body = next;
    }
  return body;
}

/* The lines of @text, where comments that only count or name the file say nothing. */
static gboolean
add_fixed (PhStatements *statements, const char *text, const char *end)
{
  for (const char *p = text, *next; p < end; p = next)
    {
      const gboolean comment = *p == '#' && g_strstr_len (p, ph_text_line_after (p, end) - p, "IR entry") == NULL;

      next = ph_text_line_after (p, end);
      if (!ph_statements_add (statements, comment ? PH_STATEMENT_BLANK : PH_STATEMENT_FIXED, p, next, p, (gsize) (next - p), NULL,
                              0))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_mindspore_split (PhStatements *statements, const char *text, gsize size)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GString) key = g_string_new (NULL);
  const char *end = text + size, *p = find_body (text, end), *next;
  Splitting splitting = { statements, end, names, key };

  if (p == NULL || memchr (text, QUOTE, size) != NULL || !add_fixed (statements, text, p))
    return FALSE;
  for (; p < end && !ends_graph (p, end); p = next)
    {
      next = ph_text_line_after (p, end);
      while (begins_node (p, end) && next < end && !begins_node (next, end) && !ends_graph (next, end) && *next != '}')
        next = ph_text_line_after (next, end);
      if (begins_node (p, end) ? !add_node (&splitting, p, next)
                               : skip_blanks (p, next) + 1 != next || !add_fixed (statements, p, next))
        return FALSE;
    }
  next = p < end ? ph_text_line_after (p, end) : end;
  g_string_truncate (key, 0);
  return p < end && add_key (&splitting, p, next)
         && ph_statements_add (statements, PH_STATEMENT_FRAME, p, next, key->str, key->len, NULL, 0)
         && add_fixed (statements, next, end);
}

/* The type stands below: ": (<type>, ...) -> (<type>)". */
gboolean
ph_mindspore_describe (const char *key, gsize size, GPtrArray *reads, gboolean *typed)
{
  const char *end = key + size;

  for (const char *p = key; (p = memchr (p, QUOTE, (gsize) (end - p))) != NULL; p++)
    {
      const char *name = p + 1;

      p = memchr (name, QUOTE, (gsize) (end - name));
      g_ptr_array_add (reads, (gpointer) ph_intern_sized (name, (gsize) (p - name)));
    }
  *typed = g_strstr_len (key, (gssize) size, "->") != NULL;
  return TRUE;
}

void
ph_mindspore_stand (const char *text, gsize size, GString *out)
{
  const char *equals = g_strstr_len (text, (gssize) size, " = "), *rest = memchr (text, '\n', size);

  g_string_append_len (out, text, equals - text);
  g_string_append (out, " = Standing()");
  g_string_append_len (out, rest, text + size - rest);
}
