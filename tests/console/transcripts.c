/* transcripts.c: plays the files of transcripts/: lines that begin with > are run, what follows is their reply.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/console/console.h"
#include "core/script/words.h"

/* In a reply, * stands for any part of a line, and a line of three dots for any number of lines. In a command, @examples
 * and @data and @tmp are folders. A line "width 80" is the width of the terminal from there on. */

static char *tmp;

static char *
expand (const char *line)
{
  g_autofree char *examples = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", NULL);
  g_autofree char *data = g_test_build_filename (G_TEST_DIST, "console", "data", NULL);
  g_autoptr (GString) out = g_string_new (line);

  g_string_replace (out, "@examples", examples, 0);
  g_string_replace (out, "@data", data, 0);
  g_string_replace (out, "@tmp", tmp, 0);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static gboolean
line_matches (const char *expected, const char *actual)
{
  g_autofree char *trimmed = g_strchomp (g_strdup (actual));

  return g_pattern_match_simple (expected, trimmed);
}

/* Whether @actual from @a on is what @expected from @e on says. */
static gboolean
lines_match (GPtrArray *expected, guint e, char **actual, guint a)
{
  for (; e < expected->len; e++, a++)
    {
      if (g_str_equal (expected->pdata[e], "..."))
        {
          do
            if (lines_match (expected, e + 1, actual, a))
              return TRUE;
          while (actual[a++] != NULL);
          return FALSE;
        }
      if (actual[a] == NULL || !line_matches (expected->pdata[e], actual[a]))
        return FALSE;
    }
  return actual[a] == NULL;
}

static void
check_reply (const char *file, guint number, const char *line, GPtrArray *expected, PhReply *reply)
{
  g_autoptr (GString) text = g_string_new (reply->text->str);
  g_auto (GStrv) lines = NULL;
  g_autofree char *wanted = NULL;

  if (!reply->ok && !reply->told)
    g_string_append_printf (text, "error: %s\n", reply->error->message);
  g_strchomp (text->str);
  text->len = strlen (text->str);
  lines = text->len > 0 ? g_strsplit (text->str, "\n", -1) : g_new0 (char *, 1);
  if (lines_match (expected, 0, lines, 0))
    return;
  g_ptr_array_add (expected, NULL);
  wanted = g_strjoinv ("\n", (char **) expected->pdata);
  g_test_message ("%s:%u: > %s\n--- expected\n%s\n--- got\n%s", file, number, line, wanted, text->str);
  g_test_fail ();
}

/* JSON and text come from one reply, so each reply is turned into JSON too, and read back. */
static void
check_json (PhReply *reply)
{
  g_autofree char *text = ph_reply_to_json (reply);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (strchr (text, '\n'));
  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (json_object_get_boolean_member (json_node_get_object (json_parser_get_root (parser)), "ok"), ==, reply->ok);
}

static void
keep_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  *(PhReply **) data = ph_console_run_finish (PH_CONSOLE (source), result, NULL);
}

/* As the window runs it: in a worker, and a script's lines one after the other, each with a reply of its own. */
static PhReply *
run_async (PhConsole *console, const char *line)
{
  PhReply *reply = NULL;

  ph_console_run_async (console, line, keep_reply, &reply);
  while (reply == NULL || ph_console_is_running (console))
    g_main_context_iteration (NULL, TRUE);
  return reply;
}

static void
play (const char *file, gboolean window)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autoptr (GError) error = NULL;

  g_file_get_contents (file, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  ph_preferences_unload ();
  for (guint i = 0; lines[i] != NULL;)
    {
      if (lines[i][0] != '>')
        {
          if (g_str_has_prefix (lines[i], "width "))
            ph_console_set_width (console, (guint) atoi (lines[i] + strlen ("width ")));
          i++;
          continue;
        }

      g_autofree char *line = expand (lines[i] + 1 + strspn (lines[i] + 1, " "));
      g_autoptr (GPtrArray) expected = g_ptr_array_new ();
      g_autoptr (PhReply) reply = window ? run_async (console, line) : ph_console_run (console, line, NULL);
      guint number = i + 1;

      for (i++; lines[i] != NULL && lines[i][0] != '>' && !g_str_has_prefix (lines[i], "width "); i++)
        if (lines[i][0] != '#' && lines[i][0] != '\0')
          g_ptr_array_add (expected, g_strchomp (lines[i]));
      if (!window || !g_str_has_prefix (line, "source "))
        check_reply (file, number, line, expected, reply);
      check_json (reply);
    }
}

/* How wide @text is on the screen: without colours. */
static glong
columns_of (const char *text)
{
  glong n = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (*p == '\033')
      p += strcspn (p, "m");
    else
      n += g_unichar_iszerowidth (g_utf8_get_char (p)) ? 0 : g_unichar_iswide (g_utf8_get_char (p)) ? 2 : 1;
  return n;
}

/* At a terminal of 80 columns no line of any reply goes beyond them, but for what asks for all of it. */
static void
test_narrow (gconstpointer data)
{
  g_autofree char *text = NULL, *file = g_path_get_basename (data);
  g_auto (GStrv) lines = NULL;
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);

  g_assert_true (g_file_get_contents (data, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  ph_preferences_unload ();
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] == '>')
      {
        g_autofree char *line = expand (g_strchomp (lines[i] + 1 + strspn (lines[i] + 1, " ")));

        ph_console_set_width (console, 80);
        g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);
        g_auto (GStrv) answer = g_strsplit (reply->text->str, "\n", -1);

        for (guint k = 0; answer[k] != NULL && !reply->wide && reply->mode == PH_TABLES_TABLE; k++)
          if (columns_of (answer[k]) > 80 && strstr (line, " | ") == NULL) /* nor what a program answers */
            {
              g_test_message ("%s:%u: > %s\n%s", file, i + 1, line, answer[k]);
              g_test_fail ();
            }
      }
}

static void
test_transcript (gconstpointer data)
{
  play (data, FALSE);
}

static void
test_in_window (gconstpointer data)
{
  play (data, TRUE);
}

/* ── all that the tables of commands, queries and functions list is tried in a transcript ── */

/* The files of transcripts, and of each a text of the lines that it runs. */
static GString *
read_transcripts (GString *run)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "console", "transcripts", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GString *all = g_string_new ("\n");
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;
      g_auto (GStrv) lines = NULL;

      if (!g_str_has_suffix (name, ".txt") || !g_file_get_contents (path, &text, NULL, NULL))
        continue;
      g_string_append_printf (all, "%s\n", text);
      lines = g_strsplit (text, "\n", -1);
      for (guint i = 0; lines[i] != NULL; i++)
        if (lines[i][0] == '>')
          g_string_append_printf (run, "%s\n", lines[i] + 1 + strspn (lines[i] + 1, " "));
    }
  return all;
}

/* @pattern, in which %s stands for @name: some line of @text has it. */
static void
expect_line (GString *text, const char *what, const char *of, const char *pattern, const char *name)
{
  g_autofree char *escaped = g_regex_escape_string (name, -1);
  g_autoptr (GString) whole = g_string_new (pattern);

  g_string_replace (whole, "%s", escaped, 0);
  if (g_regex_match_simple (whole->str, text->str, G_REGEX_MULTILINE, 0))
    return;
  g_test_message ("no transcript has the %s '%s'%s%s", what, name, *of != '\0' ? " of " : "", of);
  g_test_fail ();
}

/* An option is tried with its own command. */
static void
expect_commands (GString *run)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);

  g_assert_cmpuint (n, >, 50);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) options = g_strsplit_set (list[i]->arguments, " []|", -1);
      g_autofree char *with = g_strdup_printf ("^(time |assert )?%s .*%%s\\b", list[i]->name);

      if (ph_command_find (list[i]->name) != list[i])
        g_error ("two commands are named %s", list[i]->name);
      expect_line (run, "command", "", "^(time |assert )?%s\\b", list[i]->name);
      for (guint w = 0; options[w] != NULL; w++)
        if (g_str_has_prefix (options[w], "--"))
          expect_line (run, "option", list[i]->name, with, options[w]);
    }
}

/* A column is asked for by name together with its table, or stands in the reply that lists a row of it: "name  value". */
static void
expect_tables (GString *run, GString *all, JsonArray *tables)
{
  for (guint i = 0; i < json_array_get_length (tables); i++)
    {
      JsonObject *table = json_array_get_object_element (tables, i);
      JsonArray *columns = json_object_get_array_member (table, "columns");
      const char *name = json_object_get_string_member (table, "name");
      g_autofree char *with = g_strdup_printf (
          "(^> (select|with|assert select|view color query)\\b.*\\b%%s\\b.*\\b(from|join) .*\\b%s\\b|"
          "^> (select|with|assert select|view color query)\\b.*\\b(from|join) .*\\b%s\\b.*\\b%%s\\b|"
          "^> select \\* from %s\\b.*\n([a-z_]+( .*|\\*)?\n)*%%s( |\\*|$))",
          name, name, name);

      expect_line (run, "table", "", "\\b(from|join|,) ?%s\\b", name);
      for (guint c = 0; c < json_array_get_length (columns); c++)
        expect_line (all, "column", name, with, json_array_get_string_element (columns, c));
    }
}

static void
test_reference (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autoptr (PhReply) tables = ph_console_run (console, "tables", NULL);
  g_autoptr (GString) run = g_string_new ("\n");
  g_autoptr (GString) all = read_transcripts (run);
  JsonArray *functions = json_object_get_array_member (tables->json, "functions");
  guint n_words;
  const PhScriptWord *words = ph_script_words (&n_words);

  expect_commands (run);
  expect_tables (run, all, json_object_get_array_member (tables->json, "tables"));
  g_assert_cmpuint (json_array_get_length (functions), >, 8);
  for (guint i = 0; i < json_array_get_length (functions); i++)
    expect_line (run, "function", "SQL", "^(select|with|assert select)\\b.*\\b%s ?\\(",
                 json_object_get_string_member (json_array_get_object_element (functions, i), "name"));
  for (guint i = 0; i < n_words; i++)
    if (g_str_equal (words[i].name, "[...]"))
      expect_line (run, "word", "", "\\[[^]]* for ", words[i].name);
    else if (words[i].function != NULL)
      expect_line (run, "word", "", "^(?!language|help).*(^|\\W)%s ?\\(", words[i].name);
    else
      expect_line (run, "word", "", "^(?!language|help).*%s",
                   g_str_equal (words[i].name, "x[...]")    ? "x["
                   : g_str_equal (words[i].name, "x.shape") ? ".shape"
                                                            : words[i].name);
}

int
main (int argc, char *argv[])
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  int status;

  g_test_init (&argc, &argv, NULL);
  tmp = g_dir_make_tmp ("peephole-console-XXXXXX", NULL);
  folder = g_test_build_filename (G_TEST_DIST, "console", "transcripts", NULL);
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".txt"))
      {
        g_autofree char *path = g_strconcat ("/console/", name, NULL), *other = g_strconcat ("/window/", name, NULL),
                        *narrow = g_strconcat ("/narrow/", name, NULL);

        g_ptr_array_add (files, g_build_filename (folder, name, NULL));
        g_test_add_data_func (path, files->pdata[files->len - 1], test_transcript);
        g_test_add_data_func (other, files->pdata[files->len - 1], test_in_window);
        g_test_add_data_func (narrow, files->pdata[files->len - 1], test_narrow);
      }
  g_test_add_func ("/reference", test_reference);
  status = g_test_run ();

  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", tmp);
  g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
  g_free (tmp);
  return status;
}
