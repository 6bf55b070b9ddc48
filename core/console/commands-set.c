/* commands-set.c: set, for the budgets of what is computed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/console-private.h"
#include <string.h>

#include "core/graph/growth.h"
#include "core/number.h"
#include "core/run/program.h"

static guint64
get_memory (void)
{
  return ph_tensor_get_budget ();
}

static void
set_memory (guint64 value)
{
  ph_tensor_set_budget ((gsize) value);
}

static guint64
get_growth (void)
{
  return ph_growth_get_budget ();
}

static void
set_growth (guint64 value)
{
  ph_growth_set_budget ((guint) MIN (value, G_MAXUINT));
}

static guint64
get_threads (void)
{
  return ph_run_get_threads ();
}

static void
set_threads (guint64 value)
{
  ph_run_set_threads ((guint) MIN (value, 1024));
}

static const struct
{
  const char *name, *summary;
  gboolean    is_size;
  guint64     (*get) (void);
  void        (*set) (guint64 value);          /* 0: the default */
} settings[] = {
  { "memory", "what all computed tensors together may occupy; weights of the file do not count", TRUE, get_memory, set_memory },
  { "growth", "nodes that one pass may add to a model, or a computation make of its functions", FALSE, get_growth, set_growth },
  { "threads", "that a computation takes, unless it is a small one", FALSE, get_threads, set_threads },
};

static char *
value_text (guint i)
{
  return settings[i].is_size ? ph_size_to_string (settings[i].get ()) : g_strdup_printf ("%" G_GUINT64_FORMAT, settings[i].get ());
}

static void
say_setting (PhCall *call, guint i)
{
  JsonObject      *row = ph_json_add_object (json_object_get_array_member (call->reply->json, "settings"));
  g_autofree char *text = value_text (i);

  json_object_set_string_member (row, "name", settings[i].name);
  json_object_set_int_member (row, "value", (gint64) settings[i].get ());
  json_object_set_string_member (row, "text", text);
  json_object_set_string_member (row, "summary", settings[i].summary);
}

/* "8G", "500M", "1e6", "default" */
static gboolean
parse_value (PhCall *call, guint i, const char *text, guint64 *value, GError **error)
{
  static const char units[] = "KMGT";
  char  *end;
  double number;

  *value = 0;
  if (g_str_equal (text, "default"))
    return TRUE;
  number = g_ascii_strtod (text, &end);
  if (end != text && *end != '\0')
    {
      const char *unit = strchr (units, g_ascii_toupper (*end));

      for (const char *u = units; unit != NULL && u <= unit; u++)
        number *= settings[i].is_size ? 1024 : 1000;
      if (unit != NULL)
        end += 1;
      if (unit != NULL && settings[i].is_size && g_ascii_strcasecmp (end, "iB") == 0)
        end += 2;
      else if (settings[i].is_size && g_ascii_strcasecmp (end, "B") == 0)
        end += 1;
    }
  if (end == text || *end != '\0' || !(number >= 1) || number > 9e18)
    return ph_call_usage (call, error, settings[i].is_size ? "'%s' is no size: say 8G, 500M, or default" : "'%s' is no number: say 100000, 2M, or default",
                          text);
  *value = (guint64) number;
  return TRUE;
}

static gboolean
set_begin (PhCall *call, GError **error)
{
  static const PhColumn columns[] = { { "name", "NAME" }, { "text", "VALUE", NULL, TRUE }, { "summary", "IS" } };
  JsonArray *rows = ph_reply_array (call->reply, "settings");
  guint64    value;

  if (!ph_call_need_args (call, 0, 2, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (call->argc == 0 || g_str_equal (settings[i].name, call->argv[0]))
      {
        if (call->argc == 2)
          {
            if (!parse_value (call, i, call->argv[1], &value, error))
              return FALSE;
            settings[i].set (value);
          }
        say_setting (call, i);
      }
  if (json_array_get_length (rows) == 0)
    return ph_call_usage (call, error, "there is no setting '%s': `set` lists them", call->argv[0]);
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  return TRUE;
}

static const PhCommand rows[] = {
  { "set", "[NAME [VALUE]]", N_ ("Show or change the budgets of computing"),
    "A model of a few hundred bytes can ask for more memory than a machine has. What would go over a budget is an error that names it; "
    "`set memory 8G` and `set growth 2M` raise them for this process, `default` sets them back. `set threads 1` computes with one thread.",
    NULL, NULL, NULL, PH_CODE (set_begin) },
};

const PhCommandGroup ph_commands_set = { rows, G_N_ELEMENTS (rows) };
