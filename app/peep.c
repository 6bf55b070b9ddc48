/* peep.c: the console in a terminal and in scripts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/terminal.h"
#include "core/console/console.h"
#include "core/descriptors.h"
#include "core/escape.h"
#include "core/io/format.h"

enum
{
  EXIT_OK,
  EXIT_FAILED,
  EXIT_USAGE
};

/* The arguments of -c and -f, in order. */
typedef struct
{
  char *text;
  gboolean is_script;
} Source;

typedef struct
{
  GArray *sources; /* (element-type Source)                  */
  gboolean json, keep_going, version, manual;
  char *formats; /* (nullable) a template, "mime" or "manual" */
  PhConsole *console;
  char *plugin; /* (nullable) passes to load into this process */
  gboolean failed, quit;
  gboolean typing; /* a person types the lines               */
} Peep;

static gboolean
add_source (const char *option, const char *value, gpointer data, GError **error)
{
  Peep *peep = data;

  g_array_append_val (peep->sources, ((Source) { g_strdup (value), option[1] == 'f' || g_str_equal (option, "--file") }));
  return TRUE;
}

/* ── running lines ── */

/* Prints a message, which may contain names from a file. @place: (nullable) */
static void
say_error (const char *prefix, const char *place, const char *message)
{
  g_autofree char *shown_place = ph_escape (place != NULL ? place : "", FALSE), *shown = ph_escape (message, TRUE);

  fprintf (stderr, "%s%s%s%s\n", prefix, shown_place, place != NULL ? ": " : "", shown);
}

static void
say_reply_error (PhReply *reply, const char *place)
{
  g_autofree char *message = place == NULL && isatty (STDERR_FILENO) ? ph_reply_error_text (reply) : NULL;

  if (message != NULL)
    fprintf (stderr, "%s%s\n", ph_terminal_error_prefix (), message);
  else
    say_error (ph_terminal_error_prefix (), place, reply->error->message);
}

/* Prints a reply. @place: (nullable) the script and line that an error names. Returns FALSE to stop. */
static gboolean
show (Peep *peep, PhReply *reply, const char *place)
{
  if (!reply->ok && place != NULL)
    json_object_set_string_member (reply->json, "place", place);
  if (peep->json)
    {
      g_autofree char *line = ph_reply_to_json (reply);

      printf ("%s\n", line);
    }
  else if (!peep->typing || !ph_terminal_page (reply->text->str))
    fputs (reply->text->str, stdout);
  if (fflush (stdout) != 0 || ferror (stdout))
    {
      g_autofree char *message = g_strdup_printf ("the reply to '%s' cannot be written: %s", reply->command, g_strerror (errno));

      say_error (ph_terminal_error_prefix (), NULL, message);
      peep->failed = TRUE;
      return FALSE;
    }
  if (!peep->json && !reply->ok && !reply->told)
    say_reply_error (reply, place);
  peep->quit = reply->quit;
  peep->failed |= !reply->ok;
  return (reply->ok || peep->keep_going) && !reply->quit && !ph_terminal_was_interrupted ();
}

/* Prints an error in the form of a reply, for a command that could not be run. */
static gboolean
show_error (Peep *peep, char *command, GError *error, const char *place)
{
  PhReply reply = { .command = command, .error = error, .text = g_string_new (NULL), .json = json_object_new () };
  gboolean go_on = show (peep, &reply, place);

  g_string_free (reply.text, TRUE);
  json_object_unref (reply.json);
  return go_on;
}

static gboolean
run_line (Peep *peep, const char *line, const char *place)
{
  const char *p = line;
  g_autoptr (PhReply) reply = NULL;

  while (g_ascii_isspace (*p))
    p++;
  if (*p == '\0' || *p == '#')
    return TRUE;
  if (!g_utf8_validate (line, -1, NULL))
    {
      g_autofree char *command = g_utf8_make_valid (p, -1);
      g_autoptr (GError) error = g_error_new (PH_ERROR, PH_ERROR_PARSE, "the line is not UTF-8 text");

      return show_error (peep, command, error, place);
    }
  reply = ph_console_run (peep->console, line, ph_terminal_begin_command ());
  ph_terminal_end_command ();
  return show (peep, reply, place);
}

/* Runs the lines of a script, each with its continuation lines. */
static gboolean
run_stream (Peep *peep, FILE *stream, const char *name)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  g_autofree char *line = NULL;
  size_t size = 0;
  gssize n;
  guint number = 0, first = 1;
  gboolean go_on = TRUE;

  while (go_on && (n = getline (&line, &size, stream)) >= 0)
    {
      const gboolean marked = number++ == 0 && n >= 3 && memcmp (line, "\xef\xbb\xbf", 3) == 0; /* byte order mark */

      if (joined->len == 0)
        first = number;
      if (memchr (line, '\0', (gsize) n) != NULL)
        {
          g_autofree char *place = g_strdup_printf ("%s:%u", name, number), *command = g_strdup (line);
          g_autoptr (GError) error = g_error_new (PH_ERROR, PH_ERROR_PARSE, "the line holds a NUL byte, so it is not text");

          go_on = show_error (peep, command, error, place);
          continue;
        }
      for (PhJoin join = PH_JOIN_BEFORE; go_on && join == PH_JOIN_BEFORE;)
        {
          join = ph_line_join (joined, g_strchomp (line + (marked ? 3 : 0)), FALSE);
          if (join != PH_JOIN_MORE)
            {
              g_autofree char *place = g_strdup_printf ("%s:%u", name, first);

              go_on = run_line (peep, joined->str, place);
              g_string_truncate (joined, 0);
              first = number;
            }
        }
    }
  if (go_on && ferror (stream) && errno != EINTR)
    {
      g_autofree char *command = g_strdup_printf ("source %s", name);
      g_autoptr (GError) error = g_error_new (PH_ERROR, PH_ERROR_FILE, "%s cannot be read: %s", name, g_strerror (errno));

      return show_error (peep, command, error, NULL);
    }
  if (go_on && joined->len > 0)
    {
      g_autofree char *place = g_strdup_printf ("%s:%u", name, first);

      go_on = run_line (peep, joined->str, place);
    }
  return go_on;
}

static gboolean
run_source (Peep *peep, const Source *source)
{
  FILE *stream;
  gboolean go_on;

  if (!source->is_script)
    return run_line (peep, source->text, NULL);
  stream = g_str_equal (source->text, "-") ? stdin : fopen (source->text, "re");
  if (stream == NULL)
    {
      g_autofree char *command = g_strdup_printf ("source %s", source->text);
      g_autoptr (GError) error = g_error_new (PH_ERROR, PH_ERROR_FILE, "%s: the script cannot be read: %s", source->text,
                                              g_strerror (errno));

      return show_error (peep, command, error, NULL);
    }
  go_on = run_stream (peep, stream, stream == stdin ? "standard input" : source->text);
  if (stream != stdin)
    fclose (stream);
  return go_on;
}

/* Reads lines from a terminal, where the user continues after an error; the exit status is that of the last line. */
static void
run_terminal (Peep *peep)
{
  char *line;

  ph_terminal_open (peep->console);
  peep->typing = TRUE;
  while (!peep->quit && (line = ph_terminal_read ("peep> ")) != NULL)
    {
      gboolean keep_going = peep->keep_going;

      peep->keep_going = TRUE;
      peep->failed = FALSE;
      run_line (peep, line, NULL);
      peep->keep_going = keep_going;
      g_free (line);
    }
  peep->typing = FALSE;
  ph_terminal_close ();
}

/* Opens the model of the command line. Only a failure prints something. */
static gboolean
open_file (Peep *peep, const char *file)
{
  g_autoptr (GString) line = g_string_new ("open \"");
  g_autoptr (PhReply) reply = NULL;

  for (const char *p = file; *p != '\0'; p++)
    {
      if (*p == '"' || *p == '\\')
        g_string_append_c (line, '\\');
      g_string_append_c (line, *p);
    }
  g_string_append_c (line, '"');
  reply = ph_console_run (peep->console, line->str, ph_terminal_begin_command ());
  ph_terminal_end_command ();
  if (reply->ok)
    return TRUE;
  return show (peep, reply, NULL);
}

static void
print_manual (void)
{
  g_autofree char *commands = ph_command_manual ();

  printf (
      ".TH PEEP 1 \"\" \"Peephole\" \"User Commands\"\n"
      ".SH NAME\npeep \\- look into a computational graph while passes optimise it\n"
      ".SH SYNOPSIS\n.B peep\n[\\fIFILE\\fR] [\\fB\\-c\\fR \\fICOMMAND\\fR]... [\\fB\\-f\\fR \\fISCRIPT\\fR] [\\fB\\-\\-json\\fR] "
      "[\\fB\\-\\-keep\\-going\\fR]\n"
      ".SH DESCRIPTION\nOpens FILE, an ONNX model or its text form, and runs commands: those of \\-c and \\-f in their order, or "
      "lines of the standard input. A line is a command, an SQL query over the graph, or a statement of the tensor language; a backslash at its end "
      "joins the next one to it. A line that is empty or begins with # is skipped.\n"
      ".SH OPTIONS\n"
      ".TP\n.B \\-c \\fICOMMAND\\fR\nRun one line; may be given several times.\n"
      ".TP\n.B \\-f \\fISCRIPT\\fR\nRun the lines of a file, or of the standard input for \\-.\n"
      ".TP\n.B \\-\\-json\nAnswer each line with one JSON object on one line.\n"
      ".TP\n.B \\-\\-keep\\-going\nGo on after a line that failed.\n"
      ".TP\n.B \\-h\\fR, \\fB\\-\\-help\nSay what options there are.\n"
      ".TP\n.B \\-\\-version\nPrint the version.\n"
      "%s"
      ".SH EXIT STATUS\n0 when all went well, 1 when a command failed, 2 when the arguments were wrong. Without \\-\\-keep\\-going the "
      "first failure ends the run; Ctrl+C cancels the command that runs and ends the run.\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B NO_COLOR\nNo colours, also at a terminal.\n"
      ".SH FILES\n"
      ".TP\n.I ~/.local/state/peephole/history\nThe lines that were typed at a terminal.\n"
      ".SH EXAMPLE\n.nf\npeep model.onnx \\-c run \\-c steps\n"
      "peep model.onnx \\-c \"select op, count(*) from nodes group by op order by 2 desc\"\n.fi\n"
      ".SH SEE ALSO\n.BR peephole (1)\n",
      commands);
}

/* Prints files generated from the list of formats. */
static gboolean
print_formats (const char *what)
{
  g_autofree char *template = NULL, *text = NULL;

  if (g_str_equal (what, "mime"))
    text = ph_format_mime_xml ();
  else if (g_str_equal (what, "manual"))
    text = ph_format_manual ();
  else if (g_file_get_contents (what, &template, NULL, NULL))
    text = ph_format_fill (template);
  if (text != NULL)
    fputs (text, stdout);
  return text != NULL;
}

static gboolean
parse_options (Peep *peep, int *argc, char ***argv, char **file)
{
  g_auto (GStrv) rest = NULL;
  /* clang-format off */
  const GOptionEntry        entries[] = {
    { "command", 'c', 0, G_OPTION_ARG_CALLBACK, (gpointer) add_source, "Run one line (may be repeated)", "COMMAND" },
    { "file", 'f', G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, (gpointer) add_source, "Run the lines of a script, - is the standard input",
      "SCRIPT" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &peep->json, "One JSON object a line for each command", NULL },
    { "keep-going", 0, 0, G_OPTION_ARG_NONE, &peep->keep_going, "Go on after a line that failed", NULL },
    { "help-man", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &peep->manual, "Print the manual page", NULL },
    { "help-formats", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &peep->formats, "Print a file of the desktop with the formats in it", "TEMPLATE|mime|manual" },
    { "plugin", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &peep->plugin, "Load passes into this very process", "FILE" },
    { "version", 0, 0, G_OPTION_ARG_NONE, &peep->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL, "[FILE]" },
    { NULL },
  };
  /* clang-format on */
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("peep", "", "", peep, NULL);
  g_autoptr (GError) error = NULL;

  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, "Look into a computational graph while passes optimise it.");
  g_option_context_set_description (context,
                                    "Without -c and -f the lines of the standard input are run; `help` lists the commands.\n"
                                    "Exit status: 0 all went well, 1 a command failed, 2 wrong arguments.\n");
  if (!g_option_context_parse (context, argc, argv, &error))
    {
      g_autofree char *message = g_strconcat (error->message, "; `peep --help` shows what there is", NULL);

      say_error ("peep: ", NULL, message);
      return FALSE;
    }
  if (rest != NULL && g_strv_length (rest) > 1)
    {
      fprintf (stderr, "peep: one file can be opened, not %u; `peep --help` shows what there is\n", g_strv_length (rest));
      return FALSE;
    }
  *file = rest != NULL ? g_strdup (rest[0]) : NULL;
  return TRUE;
}

static void
run (Peep *peep, const char *file)
{
  g_autoptr (GError) error = NULL;

  if (peep->plugin != NULL && !ph_pass_load_here (peep->plugin, &error))
    {
      say_error (ph_terminal_error_prefix (), NULL, error->message);
      peep->failed = TRUE;
      return;
    }
  if (file != NULL && !open_file (peep, file))
    return;
  for (guint i = 0; i < peep->sources->len; i++)
    if (!run_source (peep, &g_array_index (peep->sources, Source, i)))
      return;
  if (peep->sources->len > 0)
    return;
  if (isatty (STDIN_FILENO) && !peep->json)
    run_terminal (peep);
  else
    run_stream (peep, stdin, "standard input");
}

static void
clear_source (gpointer data)
{
  g_free (((Source *) data)->text);
}

int
main (int argc, char *argv[])
{
  Peep peep = { g_array_new (FALSE, FALSE, sizeof (Source)) };
  g_autofree char *file = NULL;
  g_autoptr (PhDocument) document = NULL;
  int status = EXIT_USAGE;

  ph_descriptors_reserve ();
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  g_array_set_clear_func (peep.sources, clear_source);
  if (parse_options (&peep, &argc, &argv, &file))
    {
      status = EXIT_OK;
      if (peep.version)
        printf ("peep %s\n", PEEPHOLE_VERSION);
      else if (peep.manual)
        print_manual ();
      else if (peep.formats != NULL)
        status = print_formats (peep.formats) ? 0 : 2;
      else
        {
          document = ph_document_new ();
          peep.console = ph_console_new (document);
          ph_terminal_init (peep.console, peep.json);
          run (&peep, file);
          g_clear_object (&peep.console);
          status = peep.failed ? EXIT_FAILED : EXIT_OK;
        }
    }
  g_array_unref (peep.sources);
  g_free (peep.plugin);
  g_free (peep.formats);
  return status;
}
