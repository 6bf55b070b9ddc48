/* json-text.c: values of JSON as text: as JSON, and as people read them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/console/reply-table.h"

double
ph_float_value (float value)
{
  char text[64], format[16];

  if (!isfinite (value))
    return value;
  for (int digits = 6; digits <= 9; digits++)
    {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, (double) value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_ascii_strtod (text, NULL);
}

static void
append_double (GString *out, double value, int most)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  if (!isfinite (value))
    {
      g_string_append (out, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
      return;
    }
  for (int digits = MIN (6, most); digits <= most; digits++)
    {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (out, text);
}

static void
append_string (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *p = valid; *p != '\0'; p++)
    switch (*p)
      {
      case '"': g_string_append (out, "\\\""); break;
      case '\\': g_string_append (out, "\\\\"); break;
      case '\n': g_string_append (out, "\\n"); break;
      case '\t': g_string_append (out, "\\t"); break;
      default:
        if ((guchar) *p < 0x20 || *p == 0x7f)
          g_string_append_printf (out, "\\u%04x", (guchar) *p);
        else
          g_string_append_c (out, *p);
      }
  g_string_append_c (out, '"');
}

/* Writes JSON. json-glib prints 0.1 as 0.10000000000000001, and JSON has no NaN and no infinity. */
static void
append_json (GString *out, JsonNode *node)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    g_string_append (out, "null");
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      g_string_append_c (out, '[');
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          g_string_append (out, i > 0 ? ", " : "");
          append_json (out, json_array_get_element (array, i));
        }
      g_string_append_c (out, ']');
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      JsonObjectIter iter;
      const char *name;
      JsonNode *member;
      gboolean first = TRUE;

      g_string_append_c (out, '{');
      json_object_iter_init_ordered (&iter, object);
      while (json_object_iter_next_ordered (&iter, &name, &member))
        {
          g_string_append (out, first ? "" : ", ");
          append_string (out, name);
          g_string_append (out, ": ");
          append_json (out, member);
          first = FALSE;
        }
      g_string_append_c (out, '}');
    }
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    {
      double value = json_node_get_double (node);

      g_string_append (out, isfinite (value) ? "" : "\"");
      append_double (out, value, 17);
      g_string_append (out, isfinite (value) ? "" : "\"");
    }
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    g_string_append (out, json_node_get_boolean (node) ? "true" : "false");
  else if (json_node_get_value_type (node) == G_TYPE_STRING)
    append_string (out, json_node_get_string (node));
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT, json_node_get_int (node));
}

char *
ph_json_text (JsonNode *node)
{
  GString *out = g_string_new (NULL);

  append_json (out, node);
  return g_string_free (out, FALSE);
}

static void
append_cell (GString *out, JsonNode *node)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return;
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          g_string_append (out, i > 0 ? ", " : "");
          append_cell (out, json_array_get_element (array, i));
        }
    }
  else if (JSON_NODE_HOLDS_OBJECT (node) && json_object_has_member (json_node_get_object (node), "label"))
    append_cell (out, json_object_get_member (json_node_get_object (node), "label"));
  else if (JSON_NODE_HOLDS_OBJECT (node))
    append_json (out, node);
  else if (json_node_get_value_type (node) == G_TYPE_STRING)
    g_string_append (out, json_node_get_string (node));
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    append_double (out, json_node_get_double (node), 6);
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    g_string_append (out, json_node_get_boolean (node) ? "yes" : "no");
  else
    append_json (out, node);
}

char *
ph_json_cell (JsonNode *node)
{
  GString *out = g_string_new (NULL);

  append_cell (out, node);
  return g_string_free (out, FALSE);
}
