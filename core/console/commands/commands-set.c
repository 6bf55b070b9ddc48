/* commands-set.c: set, for budgets and preferences, and mode.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/reply-table.h"
#include <string.h>

#include "core/graph/growth.h"
#include "core/number.h"
#include "core/run/kernels.h"
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
  gboolean is_size;
  guint64 (*get) (void);
  void (*set) (guint64 value); /* 0: the default */
} settings[] = {
  { "memory", "what all computed tensors together may occupy; weights of the file do not count", TRUE, get_memory, set_memory },
  { "growth", "nodes that one pass may add to a model, or a computation make of its functions", FALSE, get_growth, set_growth },
  { "threads", "that a computation takes, unless it is a small one", FALSE, get_threads, set_threads },
};

/* Preferences, which `set` saves. */
/* clang-format off */
static const struct { const char *name, *summary; gsize flag; } preferences[] = {
  { "mode", "how tables are written: table, list, csv, json or markdown" },
  { "pager", "what is longer than the screen is shown page by page: on or off", G_STRUCT_OFFSET (PhPreferences, pager) },
  { "hints", "the arguments that a command takes are shown in grey after the cursor: on or off", G_STRUCT_OFFSET (PhPreferences, hints) },
};
/* clang-format on */

static gboolean *
flag_of (guint i)
{
  return &G_STRUCT_MEMBER (gboolean, ph_preferences_get (), preferences[i].flag);
}

static void
say_preference (PhCall *call, guint i)
{
  JsonObject *row = ph_json_add_object (json_object_get_array_member (call->reply->json, "settings"));
  const char *value = preferences[i].flag == 0 ? ph_tables_name (ph_preferences_get ()->mode) : *flag_of (i) ? "on" : "off";

  json_object_set_string_member (row, "name", preferences[i].name);
  json_object_set_string_member (row, "value", value);
  json_object_set_string_member (row, "text", value);
  json_object_set_string_member (row, "summary", preferences[i].summary);
}

static gboolean
set_mode (PhCall *call, const char *text, GError **error)
{
  PhTables mode;

  if (!ph_tables_parse (text, &mode))
    return ph_call_usage (call, error, "'%s' is not a mode: table, list, csv, json or markdown", text);
  ph_preferences_get ()->mode = call->reply->mode = mode;
  return TRUE;
}

static gboolean
set_preference (PhCall *call, guint i, const char *text, GError **error)
{
  const gboolean on = g_str_equal (text, "on"), back = g_str_equal (text, "default");

  if (preferences[i].flag == 0 && !set_mode (call, back ? "table" : text, error))
    return FALSE;
  if (preferences[i].flag != 0)
    {
      if (!on && !back && !g_str_equal (text, "off"))
        return ph_call_usage (call, error, "%s is on or off, not '%s'", preferences[i].name, text);
      *flag_of (i) = on || back;
    }
  return ph_preferences_save (error);
}

char **
ph_setting_names (const char *setting)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();

  for (guint i = 0; setting == NULL && i < G_N_ELEMENTS (settings); i++)
    g_strv_builder_add (out, settings[i].name);
  for (guint i = 0; i < G_N_ELEMENTS (preferences); i++)
    if (setting == NULL)
      g_strv_builder_add (out, preferences[i].name);
    else if (g_str_equal (setting, preferences[i].name) && preferences[i].flag == 0)
      for (PhTables mode = 0; mode < PH_N_TABLES; mode++)
        g_strv_builder_add (out, ph_tables_name (mode));
    else if (g_str_equal (setting, preferences[i].name))
      g_strv_builder_add_many (out, "on", "off", NULL);
  if (setting != NULL)
    g_strv_builder_add (out, "default");
  return g_strv_builder_end (out);
}

static char *
value_text (guint i)
{
  return settings[i].is_size ? ph_size_to_string (settings[i].get ())
                             : g_strdup_printf ("%" G_GUINT64_FORMAT, settings[i].get ());
}

static void
say_setting (PhCall *call, guint i)
{
  JsonObject *row = ph_json_add_object (json_object_get_array_member (call->reply->json, "settings"));
  g_autofree char *text = value_text (i);

  json_object_set_string_member (row, "name", settings[i].name);
  json_object_set_int_member (row, "value", (gint64) settings[i].get ());
  json_object_set_string_member (row, "text", text);
  json_object_set_string_member (row, "summary", settings[i].summary);
}

/* Parses "8G", "500M" or "1e6", with units of @thousand. Returns 0 if it is no number. */
static guint64
parse_number (const char *text, double thousand)
{
  static const char units[] = "KMGT";
  char *end;
  double number = g_ascii_strtod (text, &end);

  if (end != text && *end != '\0')
    {
      const char *unit = strchr (units, g_ascii_toupper (*end));

      for (const char *u = units; unit != NULL && u <= unit; u++)
        number *= thousand;
      if (unit != NULL)
        end += 1;
      if (unit != NULL && thousand == 1024 && g_ascii_strcasecmp (end, "iB") == 0)
        end += 2;
      else if (thousand == 1024 && g_ascii_strcasecmp (end, "B") == 0)
        end += 1;
    }
  return end == text || *end != '\0' || !(number >= 1) || number > 9e18 ? 0 : (guint64) number;
}

guint64
ph_call_parse_size (const char *text)
{
  return parse_number (text, 1024);
}

/* Parses a number, or "default" as 0. */
static gboolean
parse_value (PhCall *call, guint i, const char *text, guint64 *value, GError **error)
{
  *value = g_str_equal (text, "default") ? 0 : parse_number (text, settings[i].is_size ? 1024 : 1000);
  if (*value == 0 && !g_str_equal (text, "default"))
    return ph_call_usage (call, error,
                          settings[i].is_size ? "'%s' is not a size: say 8G, 500M, or default"
                                              : "'%s' is not a number: say 100000, 2M, or default",
                          text);
  return TRUE;
}

/* ── kernels ── */

/* "'x' is no kernel of Conv: dnnl, reference" */
static gboolean
check_kernel (PhCall *call, const PhOp *op, const char *what, const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (const PhKernelRow *const *row = ph_kernel_rows (op); row != NULL && *row != NULL; row++)
    {
      if (g_str_equal ((*row)->name, name))
        return TRUE;
      g_string_append_printf (known, "%s, ", (*row)->name);
    }
  return g_str_equal (name, PH_KERNEL_REFERENCE)
         || ph_call_usage (call, error, "'%s' is not a kernel of %s: it has %s" PH_KERNEL_REFERENCE, name, what, known->str);
}

/* Returns the first node of operator @name. (nullable) */
static const PhNode *
find_node_of (PhModel *model, const char *name)
{
  for (guint i = 0; i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];

      if (node != NULL && g_str_equal (node->op_type, name))
        return node;
    }
  return NULL;
}

/* set kernel [NODE|OPERATOR NAME|default] */
static gboolean
set_kernel (PhCall *call, GError **error)
{
  static const PhColumn columns[] = { { "of", "OF", .style = PH_STYLE_KEY }, { "kernel", "KERNEL" } };
  JsonArray *rows;
  GHashTable *kernels;
  GList *keys;

  if (!ph_call_need_open (call, error))
    return FALSE;
  if (call->argc == 2)
    return ph_call_usage (call, error, "which kernel? `set kernel %s default` leaves it to Peephole, `kernels` lists them",
                          call->argv[1]);
  if (call->argc == 3)
    {
      const PhNode *node = find_node_of (ph_document_get_model (call->document), call->argv[1]);
      g_autofree char *key = node != NULL ? g_strdup (node->op_type) : NULL;

      if (node == NULL)
        {
          node = ph_call_find_node (call, call->argv[1], error);
          if (node == NULL)
            return FALSE;
          key = g_strdup_printf ("n%u", node->id);
        }
      if (!g_str_equal (call->argv[2], "default") && !check_kernel (call, node->op, node->op_type, call->argv[2], error))
        return FALSE;
      ph_document_set_kernel (call->document, key, g_str_equal (call->argv[2], "default") ? NULL : call->argv[2]);
    }
  rows = ph_reply_array (call->reply, "kernels");
  kernels = ph_document_get_kernels (call->document);
  keys = kernels != NULL ? g_list_sort (g_hash_table_get_keys (kernels), (GCompareFunc) (void (*) (void)) strcmp) : NULL;
  for (GList *l = keys; l != NULL; l = l->next)
    {
      JsonObject *row = ph_json_add_object (rows);

      ph_json_set (row, "of", l->data);
      ph_json_set (row, "kernel", g_hash_table_lookup (kernels, l->data));
    }
  g_list_free (keys);
  if (json_array_get_length (rows) > 0)
    ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  else
    ph_reply_say (call->reply, "of every node the kernel that is asked first and takes it: `kernels` says which\n");
  return TRUE;
}

static gboolean
set_begin (PhCall *call, GError **error)
{
  static const PhColumn columns[]
      = { { "name", "NAME" }, { "text", "VALUE", NULL, TRUE }, { "summary", "IS", .sentence = TRUE } };
  JsonArray *rows;
  guint64 value;

  if (call->argc > 0 && g_str_equal (call->argv[0], "kernel"))
    return ph_call_need_args (call, 1, 3, error) && set_kernel (call, error);
  if (!ph_call_need_args (call, 0, 2, error))
    return FALSE;
  rows = ph_reply_array (call->reply, "settings");
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
  for (guint i = 0; i < G_N_ELEMENTS (preferences); i++)
    if (call->argc == 0 || g_str_equal (preferences[i].name, call->argv[0]))
      {
        if (call->argc == 2 && !set_preference (call, i, call->argv[1], error))
          return FALSE;
        say_preference (call, i);
      }
  if (json_array_get_length (rows) == 0)
    return ph_call_usage (call, error, "there is no setting '%s': `set` lists them", call->argv[0]);
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  return TRUE;
}

static gboolean
mode_begin (PhCall *call, GError **error)
{
  if (!ph_call_need_args (call, 0, 1, error) || (call->argc == 1 && !set_mode (call, call->argv[0], error)))
    return FALSE;
  ph_json_set (call->reply->json, "mode", ph_tables_name (call->reply->mode));
  if (call->argc == 0)
    ph_reply_say (call->reply, "%s\n", ph_tables_name (call->reply->mode));
  return TRUE;
}

static const PhCommand rows[] = {
  { "mode", "[table|list|csv|json|markdown]", N_ ("How tables are written, until the program ends"),
    "table: columns, as many as fit into the terminal, text cut with an ellipsis where need be; `--wide` behind any command or query cuts nothing, and "
    "in pipes and scripts nothing is cut to a width. list: a line for each cell. csv: nothing but the tables. json: each reply as one object, as `peep --json` "
    "says it. `set mode` keeps a mode for the next time.",
    NULL, NULL, NULL, PH_CODE (mode_begin) },
  { "set", "[SETTING [CHOICE] | kernel NODE NAME]", N_ ("Show or change budgets, kernels, and preferences of the console"),
    "A model of a few hundred bytes can ask for more memory than a machine has. What would go over a budget is an error that names it; "
    "`set memory 8G` and `set growth 2M` raise them for this process, `default` sets them back. `set threads 1` computes with one thread. "
    "`set kernel n12 reference` has that kernel run a node, `set kernel Conv reference` all nodes of an operator, here and at every position, "
    "where it takes them; `default` leaves it to Peephole, `set kernel` lists what is set, and `kernels n12` what there is. "
    "`set mode`, `set pager` and `set hints` are for the console itself, and what was chosen at a prompt is kept.",
    NULL, NULL, NULL, PH_CODE (set_begin) },
};

const PhCommandGroup ph_commands_set = { rows, G_N_ELEMENTS (rows) };
