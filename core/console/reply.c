/* reply.c: what a line answered, as text and as JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/console/console-private.h"
#include "core/discard.h"
#include "core/escape.h"
#include "core/number.h"

void
ph_reply_free (PhReply *reply)
{
  if (reply == NULL)
    return;
  g_free (reply->command);
  g_clear_error (&reply->error);
  g_string_free (reply->text, TRUE);
  ph_discard (reply->json, (GDestroyNotify) json_object_unref);
  g_free (reply);
}

/* That of this process, but for numbers. */
static locale_t
numbers_locale (void)
{
  static locale_t locale;
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      locale = newlocale (LC_NUMERIC_MASK, "C", duplocale (LC_GLOBAL_LOCALE));
      g_once_init_leave (&once, 1);
    }
  return locale;
}

void
ph_reply_say (PhReply *reply, const char *format, ...)
{
  const locale_t before = uselocale (numbers_locale ());       /* 0.5 in every language */
  va_list args;

  va_start (args, format);
  g_string_append_vprintf (reply->text, format, args);
  va_end (args);
  uselocale (before);
}

/* ── text ── */

static const char *const ansi[] = {
  [1] = "\033[0m", [2] = "\033[1m", [3] = "\033[2m", [4] = "\033[32m", [5] = "\033[31m", [6] = "\033[33m", [7] = "\033[36m",
};

void
ph_reply_finish (PhReply *reply, gboolean colour)
{
  GString *raw = g_steal_pointer (&reply->text);

  reply->text = g_string_sized_new (raw->len);
  for (char *p = raw->str, *style; p != NULL; p = style)
    {
      style = strchr (p, '\xff');
      if (style != NULL)
        *style++ = '\0';
      ph_escape_append (reply->text, p, TRUE);
      if (style != NULL && *style >= '1' && *style <= '7')
        g_string_append (reply->text, colour ? ansi[*style++ - '0'] : (style++, ""));
    }
  g_string_free (raw, TRUE);
}

static guint
text_width (const char *text)
{
  guint width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if ((guchar) *p >= 0x20)
      width += g_unichar_iszerowidth (g_utf8_get_char (p)) ? 0 : g_unichar_iswide (g_utf8_get_char (p)) ? 2 : 1;
  return width;
}

#define MAX_CELL 100

/* A cell is one line and not endless. */
static char *
cell_text (JsonNode *node, int digits)
{
  g_autofree char *text = NULL;
  g_autofree char *valid = NULL;

  if (digits > 0 && node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_DOUBLE)
    {
      const double value = json_node_get_double (node);
      char         format[16];

      /* 1234 ms, not 1.23e+03. */
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      return ph_number_to_string (fabs (value) >= pow (10, digits) && fabs (value) < 1e9 ? "%.0f" : format, value);
    }
  text = ph_json_cell (node);
  valid = g_utf8_make_valid (text, -1);

  g_strdelimit (valid, "\n\r\t", ' ');
  if (g_utf8_strlen (valid, -1) > MAX_CELL)
    {
      g_autofree char *cut = g_utf8_substring (valid, 0, MAX_CELL - 1);
      return g_strconcat (cut, "…", NULL);
    }
  return g_steal_pointer (&valid);
}

static void
append_padded (GString *out, const char *text, guint width, gboolean right, gboolean last)
{
  guint have = text_width (text);

  if (right && width > have)
    g_string_append_printf (out, "%*s", (int) (width - have), "");
  g_string_append (out, text);
  if (!right && !last && width > have)
    g_string_append_printf (out, "%*s", (int) (width - have), "");
}

void
ph_reply_table (PhReply *reply, JsonArray *rows, const PhColumn *columns, guint n)
{
  guint                n_rows = json_array_get_length (rows);
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint    *width = g_new0 (guint, n);

  if (n_rows == 0)
    return;
  for (guint c = 0; c < n; c++)
    width[c] = text_width (columns[c].title);
  for (guint r = 0; r < n_rows; r++)
    for (guint c = 0; c < n; c++)
      {
        g_autofree char *text = cell_text (json_object_get_member (json_array_get_object_element (rows, r), columns[c].key),
                                            columns[c].digits);
        char            *cell = g_strconcat (*text != '\0' && columns[c].prefix != NULL ? columns[c].prefix : "", text, NULL);

        g_ptr_array_add (cells, cell);
        width[c] = MAX (width[c], text_width (cell));
      }

  g_string_append (reply->text, PH_STYLE_BOLD);
  for (guint c = 0; c < n; c++)
    {
      append_padded (reply->text, columns[c].title, width[c], columns[c].right, c + 1 == n);
      g_string_append (reply->text, c + 1 < n ? "  " : "");
    }
  g_string_append (reply->text, PH_STYLE_RESET "\n");
  for (guint r = 0; r < n_rows; r++)
    {
      gboolean dim = columns[0].dim != NULL &&
                     json_object_get_int_member (json_array_get_object_element (rows, r), columns[0].dim) == 0;

      g_string_append (reply->text, dim ? PH_STYLE_DIM : "");
      for (guint c = 0; c < n; c++)
        {
          const char *cell = cells->pdata[r * n + c];
          gboolean    styled = !dim && columns[c].style != NULL && *cell != '\0' && !g_str_has_suffix (cell, "+0") &&
                               !g_str_has_suffix (cell, "-0") && !g_str_has_suffix (cell, "~0");

          if (styled)
            g_string_append (reply->text, columns[c].style);
          append_padded (reply->text, cell, width[c], columns[c].right, c + 1 == n);
          if (styled)
            g_string_append (reply->text, PH_STYLE_RESET);
          g_string_append (reply->text, c + 1 < n ? "  " : dim ? PH_STYLE_RESET "\n" : "\n");
        }
    }
}

/* ── JSON ── */

JsonArray *
ph_reply_array (PhReply *reply, const char *member)
{
  JsonArray *array = json_array_new ();

  json_object_set_array_member (reply->json, member, array);
  return array;
}

JsonObject *
ph_json_add_object (JsonArray *array)
{
  JsonObject *object = json_object_new ();

  json_array_add_object_element (array, object);
  return object;
}

void
ph_json_set (JsonObject *object, const char *member, const char *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  if (valid != NULL)
    json_object_set_string_member (object, member, valid);
  else
    json_object_set_null_member (object, member);
}

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
      case '"':
        g_string_append (out, "\\\"");
        break;
      case '\\':
        g_string_append (out, "\\\\");
        break;
      case '\n':
        g_string_append (out, "\\n");
        break;
      case '\t':
        g_string_append (out, "\\t");
        break;
      default:
        if ((guchar) *p < 0x20 || *p == 0x7f)
          g_string_append_printf (out, "\\u%04x", (guchar) *p);
        else
          g_string_append_c (out, *p);
      }
  g_string_append_c (out, '"');
}

/* JSON has no NaN and no infinity, and json-glib prints 0.1 as 0.10000000000000001, so the writing is done here. */
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
      JsonObject     *object = json_node_get_object (node);
      JsonObjectIter  iter;
      const char     *name;
      JsonNode       *member;
      gboolean        first = TRUE;

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

static char *
json_line (JsonNode *node)
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

char *
ph_reply_to_json (PhReply *reply)
{
  g_autoptr (JsonNode)   node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonObject) object = json_object_new ();
  JsonObjectIter        iter;
  const char           *name;
  JsonNode             *member;

  ph_json_set (object, "command", reply->command);
  json_object_set_boolean_member (object, "ok", reply->ok);
  if (reply->error != NULL)
    {
      JsonObject *error = json_object_new ();

      json_object_set_string_member (error, "code", ph_error_code_name (reply->error));
      ph_json_set (error, "message", reply->error->message);
      json_object_set_object_member (object, "error", error);
    }
  json_object_iter_init_ordered (&iter, reply->json);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    if (!json_object_has_member (object, name))
      json_object_set_member (object, name, json_node_copy (member));
  json_node_set_object (node, object);
  return json_line (node);
}
