/* reply.c: the reply to a line, as text and JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <string.h>

#include "core/console/command-code.h"
#include "core/console/reply-table.h"
#include "core/discard.h"
#include "core/escape.h"

#define BYTES_OF_A_PART 256 /* of the text of a reply, for a row and its cells in JSON */

void
ph_reply_free (PhReply *reply)
{
  if (reply == NULL)
    return;
  ph_discard_parts (reply->json, (GDestroyNotify) json_object_unref, reply->text->len / BYTES_OF_A_PART);
  g_free (reply->command);
  g_clear_error (&reply->error);
  g_string_free (reply->text, TRUE);
  if (reply->csv != NULL)
    g_string_free (reply->csv, TRUE);
  g_free (reply);
}

/* Returns the locale of this process with the numbers of the C locale. */
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
  const locale_t before = uselocale (numbers_locale ()); /* 0.5 in every language */
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
  GString *raw;

  ph_reply_wrap (reply);
  raw = g_steal_pointer (&reply->text);
  if (reply->mode == PH_TABLES_JSON && reply->ok)
    {
      g_autofree char *json = ph_reply_to_json (reply);

      g_string_free (raw, TRUE);
      reply->text = g_string_new (json);
      g_string_append_c (reply->text, '\n');
      return;
    }
  if (reply->csv != NULL)
    {
      g_string_free (raw, TRUE);
      raw = g_steal_pointer (&reply->csv);
    }
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

void
ph_reply_finish_text (PhReply *reply)
{
  g_autofree char *raw = g_string_free (g_steal_pointer (&reply->text), FALSE);

  reply->text = g_string_new (NULL);
  ph_escape_append (reply->text, raw, TRUE);
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

char *
ph_reply_to_json (PhReply *reply)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonObject) object = json_object_new ();
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

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
  return ph_json_text (node);
}

char *
ph_reply_problem (const PhReply *reply, const GError *error)
{
  const GError *problem = reply != NULL ? reply->error : error;
  const char *usage;

  if (problem == NULL || g_error_matches (problem, PH_ERROR, PH_ERROR_CANCELLED)
      || g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return NULL;
  usage = g_error_matches (problem, PH_ERROR, PH_ERROR_USAGE) ? g_strrstr (problem->message, PH_USAGE_FOLLOWS) : NULL;
  return g_strndup (problem->message, usage != NULL ? (gsize) (usage - problem->message) : strlen (problem->message));
}
