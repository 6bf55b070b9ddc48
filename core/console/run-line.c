/* run-line.c: runs a line to its end in the caller's thread, including nested and requested lines.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-parts.h"
#include "core/console/console-queue.h"
#include "core/console/reply-table.h"

#define MAX_DEPTH 16

/* Returns @line with its nested lines replaced by their answers. (transfer full) */
static char *
fill_in (PhConsole *console, const char *line, GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) out = g_string_new (line);
  gsize from = 0, end;
  char *text;

  while ((text = ph_line_find_inner (console, out->str, &from, &end)) != NULL)
    {
      g_autofree char *inner = text, *words = NULL;
      g_autoptr (PhReply) reply = NULL;

      if (++console->depth <= MAX_DEPTH)
        reply = ph_console_run_line (console, inner, TRUE, cancellable);
      console->depth--;
      if (reply == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "$(...) stands in itself more than %d deep", MAX_DEPTH);
          return NULL;
        }
      if (!reply->ok)
        {
          g_set_error (error, reply->error->domain, reply->error->code, "%s: %s", inner, reply->error->message);
          return NULL;
        }
      words = ph_reply_to_words (reply);
      g_string_erase (out, (gssize) from, (gssize) (end - from));
      g_string_insert (out, (gssize) from, words);
      from += strlen (words);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
run_program (PhCall *call)
{
  GError *error = NULL;
  g_autoptr (GSubprocess) program = ph_call_start_program (call, &error);
  g_autoptr (GBytes) output = NULL;

  if (program == NULL)
    {
      ph_call_fail (call, error);
      return;
    }
  g_subprocess_communicate (program, NULL, call->cancellable, &output, NULL, &error);
  ph_call_take_output (call, program, output, error);
  g_clear_error (&error);
}

PhReply *
ph_console_run_line (PhConsole *console, const char *line, gboolean plain, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autofree char *filled = fill_in (console, line, cancellable, &error);
  g_autoptr (PhCall) call = ph_call_new (console, filled != NULL ? filled : line, cancellable);
  const PhCommandCode *code;

  call->plain = plain;
  if (!plain)
    g_signal_emit (console, ph_console_signals[PH_CONSOLE_STARTED], 0, call->reply->command);
  console->doing++;
  code = error == NULL ? ph_call_begin (call) : NULL;
  if (error != NULL)
    ph_call_fail (call, error);
  if (code != NULL)
    {
      error = NULL;
      if (code->work != NULL && !ph_call_work (call, code, &error))
        ph_call_fail (call, error);
      ph_call_finish (call, code);
    }
  console->doing--;
  ph_call_polish (call, console->colour);
  if (call->redirect == PH_REDIRECT_PROGRAM && call->reply->ok)
    run_program (call);

  PhReply *reply = ph_call_take_reply (call);
  if (!plain)
    g_signal_emit (console, ph_console_signals[PH_CONSOLE_FINISHED], 0, reply);
  return reply;
}

/* Runs the lines of a script; their replies become part of the script's own. */
static void
run_pushed (PhConsole *console, PhReply *outer, GCancellable *cancellable)
{
  GQueue lines = console->pushed;
  JsonArray *replies = NULL;
  PhPending *pending;

  g_queue_init (&console->pushed);
  if (g_queue_is_empty (&lines))
    return;
  if (console->depth >= MAX_DEPTH)
    {
      g_queue_clear_full (&lines, (GDestroyNotify) ph_pending_free);
      outer->ok = FALSE;
      outer->error = g_error_new (PH_ERROR, PH_ERROR_USAGE, "scripts call each other more than %d deep: is one calling itself?",
                                  MAX_DEPTH);
      return;
    }

  console->depth++;
  replies = ph_reply_array (outer, "replies");
  while (outer->ok && !outer->quit && (pending = g_queue_pop_head (&lines)) != NULL)
    {
      PhReply *reply = ph_console_run_line (console, pending->line, FALSE, cancellable);
      g_autofree char *text = NULL;
      g_autoptr (JsonParser) parser = json_parser_new ();

      run_pushed (console, reply, cancellable);
      text = ph_reply_to_json (reply);
      if (json_parser_load_from_data (parser, text, -1, NULL))
        json_array_add_element (replies, json_parser_steal_root (parser));
      g_string_append (outer->text, reply->text->str);
      outer->quit = reply->quit;
      if (!reply->ok)
        {
          outer->ok = FALSE;
          outer->error = g_error_new (reply->error->domain, reply->error->code, "%s: %s", pending->place, reply->error->message);
        }
      ph_reply_free (reply);
      ph_pending_free (pending);
    }
  console->depth--;
  g_queue_clear_full (&lines, (GDestroyNotify) ph_pending_free);
}

PhReply *
ph_console_run (PhConsole *console, const char *line, GCancellable *cancellable)
{
  g_return_val_if_fail (PH_IS_CONSOLE (console) && line != NULL, NULL);

  PhReply *reply = ph_console_run_line (console, line, FALSE, cancellable);
  run_pushed (console, reply, cancellable);
  return reply;
}
