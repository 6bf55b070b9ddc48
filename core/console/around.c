/* around.c: handles what surrounds a line: time and assert before it, > FILE and | PROGRAM after it, $NAME and $(LINE) in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/console/call-arguments.h"
#include "core/console/call-parts.h"
#include "core/console/command-words.h"
#include "core/console/reply-table.h"
#include "core/console/trace.h"
#include "core/replace.h"

/* ── substitution ── */

/* Returns the bracket that closes the one before @p, or NULL. */
static const char *
closing (const char *p)
{
  guint depth = 1;
  char quote = '\0';

  for (; *p != '\0'; p++)
    if (quote != '\0')
      quote = *p == quote ? '\0' : quote;
    else if (*p == '\'' || *p == '"')
      quote = *p;
    else if (*p == '(')
      depth++;
    else if (*p == ')' && --depth == 0)
      return p;
  return NULL;
}

static gboolean
is_variable (PhConsole *console, const char *name)
{
  g_auto (GStrv) names = ph_trace_names (console);

  return g_strv_contains ((const char *const *) names, name) && !ph_script_has_function (ph_console_get_script (console), name);
}

char *
ph_line_find_inner (PhConsole *console, const char *line, gsize *from, gsize *end)
{
  const PhCommand *command;
  const char *rest;
  const PhLineKind kind = ph_line_classify (line, &command, &rest);
  gboolean quoted = FALSE;

  if (kind != PH_LINE_COMMAND && kind != PH_LINE_SQL)
    return NULL;
  for (gsize i = 0; line[i] != '\0'; i++)
    {
      if (line[i] == '\'')
        quoted = !quoted;
      if (quoted || line[i] != '$' || i < *from)
        continue;
      if (line[i + 1] == '(')
        {
          const char *close = closing (line + i + 2);

          if (close == NULL)
            return NULL;
          *from = i;
          *end = (gsize) (close + 1 - line);
          return g_strndup (line + i + 2, (gsize) (close - line) - i - 2);
        }
      const gsize n = strspn (line + i + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
      g_autofree char *name = g_strndup (line + i + 1, n);

      if (n > 0 && !g_ascii_isdigit (*name) && is_variable (console, name))
        {
          *from = i;
          *end = i + 1 + n;
          return g_steal_pointer (&name);
        }
    }
  return NULL;
}

char *
ph_reply_to_words (PhReply *reply)
{
  JsonObject *json = reply->json;
  GString *out = g_string_new (NULL);

  if (json_object_has_member (json, "columns") && json_object_has_member (json, "rows"))
    {
      JsonArray *rows = json_object_get_array_member (json, "rows");

      for (guint i = 0; i < json_array_get_length (rows); i++)
        {
          JsonArray *row = json_array_get_array_element (rows, i);

          for (guint c = 0; c < json_array_get_length (row); c++)
            {
              g_autofree char *cell = ph_json_cell (json_array_get_element (row, c));

              g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "", cell);
            }
        }
    }
  else if (json_object_has_member (json, "value"))
    g_string_append (out, json_object_get_string_member (json, "value"));
  else if (json_object_has_member (json, "values") && json_object_has_member (json, "name"))
    {
      JsonObject *row = json_array_get_object_element (json_object_get_array_member (json, "values"), 0);
      g_autofree char *text = ph_json_cell (json_object_get_member (row, "data"));
      const gboolean scalar = json_array_get_length (json_object_get_array_member (row, "shape")) == 0;

      g_string_append_printf (out, scalar ? "%s" : "[%s]", text);
    }
  else
    g_string_append (out, reply->text->str);
  g_strstrip (out->str);
  g_strdelimit (out->str, "\n\t\r", ' ');
  return g_string_free (out, FALSE);
}

/* ── text before and after the command ── */

typedef struct
{
  PhRedirect kind;
  gsize at;
  char *target;
} Behind;

/* Finds the next > FILE, >> FILE or | PROGRAM after @from, outside of quotes and brackets; a file is one word. */
static gboolean
next_behind (const char *text, gsize from, Behind *behind)
{
  guint depth = 0;
  char quote = '\0';

  for (gsize i = 0; text[i] != '\0'; i++)
    {
      const char c = text[i];

      if (quote != '\0')
        quote = c == quote ? '\0' : quote;
      else if (c == '\'' || c == '"')
        quote = c;
      else if (c == '(' || c == '[' || c == '{')
        depth++;
      else if ((c == ')' || c == ']' || c == '}') && depth > 0)
        depth--;
      if (quote != '\0' || depth > 0 || i < MAX (from, 1) || (c != '>' && c != '|')
          || (!g_ascii_isspace (text[i - 1]) && text[i - 1] != ';'))
        continue;

      const gsize n = c == '>' && text[i + 1] == '>' ? 2 : 1;
      g_auto (GStrv) words = c == '>' ? ph_split_words (text + i + n, NULL) : NULL;

      if ((c == '|' && (!g_ascii_isspace (text[i + 1]) || text[i + 1 + strspn (text + i + 1, " \t")] == '\0'))
          || (c == '>' && (words == NULL || g_strv_length (words) != 1)))
        continue;
      behind->at = i;
      behind->kind = c == '|' ? PH_REDIRECT_PROGRAM : n == 2 ? PH_REDIRECT_APPEND : PH_REDIRECT_WRITE;
      behind->target = c == '|' ? g_strstrip (g_strdup (text + i + 1)) : ph_expand_home (words[0]);
      return TRUE;
    }
  return FALSE;
}

static void
take_behind (PhCall *call, Behind *behind)
{
  /* clang-format off */
  static const struct { const char *suffix; PhTables mode; } suffixes[] = {
    { ".csv", PH_TABLES_CSV }, { ".json", PH_TABLES_JSON }, { ".md", PH_TABLES_MARKDOWN },
  };
  /* clang-format on */

  call->redirect = behind->kind;
  call->target = g_steal_pointer (&behind->target);
  call->reply->width = 0;
  call->reply->wide = call->redirect != PH_REDIRECT_PROGRAM;
  for (guint i = 0; i < G_N_ELEMENTS (suffixes) && call->redirect != PH_REDIRECT_PROGRAM; i++)
    if (g_str_has_suffix (call->target, suffixes[i].suffix))
      call->reply->mode = suffixes[i].mode;
  call->line[behind->at] = '\0';
  g_strchomp (call->line);
}

static gboolean
is_file_name (const Behind *behind)
{
  static const char *const suffixes[] = { ".csv", ".json", ".log", ".md", ".tsv", ".txt" };
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (suffixes) && !found; i++)
    found = g_str_has_suffix (behind->target, suffixes[i]);
  return found && behind->kind != PH_REDIRECT_PROGRAM;
}

gboolean
ph_call_split_sql (PhCall *call, gboolean (*parses) (const char *text, gpointer data), gpointer data)
{
  Behind behind = { PH_REDIRECT_NONE };
  gsize from = 0;

  const gboolean whole = parses (call->rest, data);

  /* A ">" is no comparison if SQL cannot parse the whole, or if a file name follows: no column is called `out.csv`. */
  for (; next_behind (call->rest, from, &behind); from = behind.at + 1)
    {
      g_autofree char *before = g_strndup (call->rest, behind.at);

      if ((!whole || is_file_name (&behind)) && parses (before, data))
        {
          behind.at += (gsize) (call->rest - call->line);
          take_behind (call, &behind);
          return TRUE;
        }
      g_clear_pointer (&behind.target, g_free);
    }
  return FALSE;
}

PhLineKind
ph_call_split (PhCall *call)
{
  PhLineKind kind = (call->line = g_strdup (call->reply->command), ph_line_classify (call->line, &call->command, &call->rest));
  Behind behind = { PH_REDIRECT_NONE };

  if (kind == PH_LINE_COMMAND && next_behind (call->line, 0, &behind))
    {
      const char *inner = call->rest;

      /* `time` may precede a query or an expression, where these signs are operators. */
      while (kind == PH_LINE_COMMAND && (ph_command_is_time (call->command) || ph_command_is_assert (call->command)))
        kind = ph_line_classify (inner, &call->command, &inner);
      if (kind == PH_LINE_COMMAND)
        take_behind (call, &behind);
      g_free (behind.target);
      kind = ph_line_classify (call->line, &call->command, &call->rest);
    }
  while (kind == PH_LINE_COMMAND && *call->rest != '\0'
         && (ph_command_is_time (call->command) || ph_command_is_assert (call->command)))
    {
      if (ph_command_is_time (call->command))
        call->timed = TRUE;
      else if (g_str_has_prefix (call->rest, "verdict ") || g_str_equal (call->rest, "verdict"))
        {
          g_auto (GStrv) words = ph_split_words (call->rest, NULL);
          const guint n = words != NULL ? g_strv_length (words) : 0;
          g_autofree char *places = n > 2 ? g_strjoinv (" ", words + 2) : g_strdup ("");

          call->wanted = g_strdup (n > 1 ? words[1] : "");
          g_free (call->line);
          call->line = g_strdup_printf ("verify %s", places);
          call->rest = call->line;
        }
      else
        call->asserts = TRUE;
      kind = ph_line_classify (call->rest, &call->command, &call->rest);
    }
  return kind;
}

/* ── afterwards ── */

static gboolean
is_true (JsonNode *cell)
{
  const GType type = JSON_NODE_HOLDS_VALUE (cell) ? json_node_get_value_type (cell) : G_TYPE_INVALID;

  return type == G_TYPE_INT64 ? json_node_get_int (cell) != 0 : type == G_TYPE_DOUBLE ? json_node_get_double (cell) != 0 : FALSE;
}

static GError *
check_rows (PhCall *call)
{
  JsonArray *rows = json_object_get_array_member (call->reply->json, "rows");

  if (json_array_get_length (rows) == 0)
    return g_error_new (PH_ERROR, PH_ERROR_FAILED, "this does not hold: %s: there is no row", call->rest);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);

      for (guint c = 0; c < json_array_get_length (row); c++)
        if (!is_true (json_array_get_element (row, c)))
          {
            g_autofree char *cell = ph_json_cell (json_array_get_element (row, c));

            return g_error_new (PH_ERROR, PH_ERROR_FAILED, "this does not hold: %s: row %u has %s", call->rest, i + 1,
                                *cell != '\0' ? cell : "null");
          }
    }
  return NULL;
}

/* Checks the demanded verdict, which a stronger one satisfies too. */
static GError *
check_verdict (PhCall *call)
{
  static const char *const order[] = { "close", "same", "proved" };
  const char *verdict = json_object_get_string_member (call->reply->json, "verdict");
  int wanted = -1, found = -1;

  for (int i = 0; i < (int) G_N_ELEMENTS (order); i++)
    {
      wanted = g_strcmp0 (order[i], call->wanted) == 0 ? i : wanted;
      found = g_strcmp0 (order[i], verdict) == 0 ? i : found;
    }
  if (wanted >= 0 ? found >= wanted : g_strcmp0 (verdict, call->wanted) == 0)
    return NULL;
  return g_error_new (PH_ERROR, PH_ERROR_FAILED, "this does not hold: verdict %s: it is %s", call->wanted, verdict);
}

void
ph_call_check (PhCall *call)
{
  GError *error = NULL;

  if (!call->reply->ok || (!call->asserts && call->wanted == NULL))
    return;
  if (call->wanted != NULL && json_object_has_member (call->reply->json, "verdict"))
    error = check_verdict (call);
  else if (call->asserts && json_object_has_member (call->reply->json, "rows"))
    error = check_rows (call);
  if (error != NULL)
    ph_call_fail (call, error);
  else if (!call->polished)
    g_string_truncate (call->reply->text, 0);
}

static gboolean
append_target (const char *path, const GString *text, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileOutputStream) stream = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, error);

  return stream != NULL && g_output_stream_write_all (G_OUTPUT_STREAM (stream), text->str, text->len, NULL, NULL, error)
         && g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, error);
}

static gboolean
write_target (PhCall *call, GError **error)
{
  const GString *text = call->reply->text;
  g_autoptr (GError) own = NULL;

  if (call->redirect == PH_REDIRECT_APPEND ? append_target (call->target, text, &own)
                                           : ph_replace_contents (call->target, text->str, text->len, &own))
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s cannot be written: %s", call->target, own->message);
  return FALSE;
}

void
ph_call_redirect (PhCall *call)
{
  PhReply *reply = call->reply;
  GError *error = NULL;

  if (reply->ok && (call->redirect == PH_REDIRECT_WRITE || call->redirect == PH_REDIRECT_APPEND))
    {
      if (!write_target (call, &error))
        ph_call_fail (call, error);
      else
        ph_json_set (reply->json, "written", call->target);
      g_string_truncate (reply->text, 0);
    }
  if (reply->ok && call->timed)
    {
      const double ms = (double) (g_get_monotonic_time () - call->begin_time) / 1000;

      json_object_set_double_member (reply->json, "ms", ms);
      if (reply->mode != PH_TABLES_JSON && reply->mode != PH_TABLES_CSV)
        ph_reply_say (reply, "time: %.3g ms\n", ms);
    }
}

/* Opens a file rather than a pipe, because a write to a pipe that the program does not read raises SIGPIPE. Returns -1 on failure. */
static int
open_input (const GString *text)
{
  int fd = memfd_create ("reply", MFD_CLOEXEC);

  for (gsize at = 0; fd >= 0 && at < text->len;)
    {
      const gssize n = write (fd, text->str + at, text->len - at);

      if (n <= 0)
        {
          close (fd);
          fd = -1;
        }
      at += (gsize) MAX (n, 0);
    }
  if (fd >= 0)
    lseek (fd, 0, SEEK_SET);
  return fd;
}

GSubprocess *
ph_call_start_program (PhCall *call, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                                                        | G_SUBPROCESS_FLAGS_STDERR_MERGE);
  g_autoptr (GError) own = NULL;
  GSubprocess *program = NULL;
  const int input = open_input (call->reply->text);

  if (input >= 0)
    {
      g_subprocess_launcher_take_stdin_fd (launcher, input);
      program = g_subprocess_launcher_spawn (launcher, &own, "/bin/sh", "-c", call->target, NULL);
    }
  if (program == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "'%s' cannot be run: %s", call->target,
                 own != NULL ? own->message : g_strerror (errno));
  return program;
}

void
ph_call_take_output (PhCall *call, GSubprocess *program, GBytes *output, GError *error)
{
  PhReply *reply = call->reply;
  gsize size;

  g_string_truncate (reply->text, 0);
  if (error != NULL)
    {
      g_subprocess_force_exit (program);
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        ph_call_fail (call, g_error_new (PH_ERROR, PH_ERROR_CANCELLED, "'%s' was cancelled", call->target));
      else
        ph_call_fail (call, g_error_new (PH_ERROR, PH_ERROR_FAILED, "'%s': %s", call->target, error->message));
      return;
    }
  if (output != NULL && (g_bytes_get_data (output, &size), size > 0))
    {
      g_autofree char *text = g_strndup (g_bytes_get_data (output, &size), size), *valid = g_utf8_make_valid (text, -1);

      ph_reply_say (reply, "%s", valid);
      ph_reply_finish_text (reply);
      ph_json_set (reply->json, "output", valid);
    }
  if (!g_subprocess_get_successful (program))
    ph_call_fail (call, g_error_new (PH_ERROR, PH_ERROR_FAILED, "'%s' failed", call->target));
}
