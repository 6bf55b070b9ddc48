/* short-type.c: shortens types with long dimension names for a narrow column: "float[A,16,floor((B+1)/2)]".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/short-type.h"

#include <stdio.h>
#include <string.h>

#define LONG_NAME  10 /* more characters than this are a long name */
#define MOST_NAMES 52

static gsize
name_length (const char *text)
{
  gsize n = 0;

  if (!g_ascii_isalpha (text[0]) && text[0] != '_')
    return 0;
  while (g_ascii_isalnum (text[n]) || text[n] == '_' || text[n] == '.')
    n++;
  return n;
}

/* Finds the next name in the brackets of @type that is not a function such as floor. */
static const char *
next_name (const char *text, gsize *length)
{
  for (; *text; text += MAX (*length, 1))
    {
      *length = name_length (text);
      if (*length > 0 && text[*length] != '(')
        return text;
    }
  return NULL;
}

static int
find_dimension (GPtrArray *dimensions, const char *name, gsize length)
{
  for (guint i = 0; i < dimensions->len; i++)
    if (strlen (dimensions->pdata[i]) == length && strncmp (dimensions->pdata[i], name, length) == 0)
      return (int) i;
  return -1;
}

GPtrArray *
ph_long_dimensions (PhGraph *graph)
{
  GPtrArray *dimensions = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < graph->inputs->len && dimensions->len < MOST_NAMES; i++)
    {
      const PhValue *value = graph->inputs->pdata[i];
      g_autofree char *type = value->type && !value->tensor ? ph_type_to_string (value->type) : NULL;
      const char *name = type ? strchr (type, '[') : NULL;
      gsize length = 0;

      while (name && (name = next_name (name, &length)) && dimensions->len < MOST_NAMES)
        {
          if (length > LONG_NAME && find_dimension (dimensions, name, length) < 0)
            g_ptr_array_add (dimensions, g_strndup (name, length));
          name += length;
        }
    }
  return dimensions;
}

char *
ph_dimension_letter (guint index)
{
  return index < 26 ? g_strdup_printf ("%c", 'A' + (char) index)
                    : g_strdup_printf ("%c%u", 'A' + (char) (index % 26), index / 26);
}

/* Returns "⌈A/16⌉" for "floor((A+15)/16)", the form that a rounded up size takes. */
char *
ph_dimension_to_short (const char *dimension, GPtrArray *dimensions)
{
  g_autofree char *bracketed = g_strconcat ("[", dimension, NULL), *brief = ph_type_to_short (bracketed, dimensions);
  const char *text = brief + 1;
  char name[32];
  int add, divisor, end = 0;

  if (sscanf (text, "floor((%31[A-Za-z0-9_.] + %d)/%d)%n", name, &add, &divisor, &end) == 3 && text[end] == '\0'
      && add == divisor - 1)
    return g_strdup_printf ("⌈%s/%d⌉", name, divisor);
  if (sscanf (text, "floor(%31[A-Za-z0-9_.]/%d)%n", name, &divisor, &end) == 2 && text[end] == '\0')
    return g_strdup_printf ("⌊%s/%d⌋", name, divisor);
  return g_strdup (text);
}

char *
ph_type_to_shown (const PhType *type)
{
  g_autofree char *text = ph_type_to_string (type);
  GString *shown = g_string_new (text);

  g_string_replace (shown, "[]", " ?", 0);
  return g_string_free (shown, FALSE);
}

char *
ph_type_to_short (const char *type, GPtrArray *dimensions)
{
  const char *bracket = strchr (type, '[');
  g_autoptr (GString) text = g_string_new_len (type, bracket ? bracket - type : (gssize) strlen (type));
  gboolean changed = FALSE;

  for (const char *p = bracket; p && *p;)
    {
      gsize length = name_length (p);
      int index = length > LONG_NAME && p[length] != '(' ? find_dimension (dimensions, p, length) : -1;

      if (index >= 0)
        {
          g_autofree char *letter = ph_dimension_letter ((guint) index);
          g_string_append (text, letter);
          changed = TRUE;
        }
      else if (length > LONG_NAME && p[length] != '(')
        {
          g_string_append_len (text, p, LONG_NAME - 2);
          g_string_append (text, "…");
        }
      else if (length > 0)
        g_string_append_len (text, p, (gssize) length);
      else if (*p != ' ' || !changed)
        g_string_append_c (text, *p);
      p += MAX (length, 1);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
