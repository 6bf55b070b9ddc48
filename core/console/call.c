/* call.c: runs one line: its kind, its parts in order, and its reply.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-parts.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "core/console/other-code.h"
#include "core/console/reply-table.h"

void
ph_call_free (PhCall *call)
{
  g_clear_pointer (&call->snapshot, ph_snapshot_free);
  if (call == NULL)
    return;
  if (call->free_data != NULL)
    call->free_data (call->data);
  g_strfreev (call->argv);
  g_free (call->line);
  g_free (call->target);
  g_free (call->wanted);
  g_clear_object (&call->cancellable);
  g_clear_pointer (&call->reply, ph_reply_free);
  g_object_unref (call->console);
  g_free (call);
}

static const PhCommandCode sql_code = { ph_sql_begin, ph_sql_work };
static const PhCommandCode expression_code = { ph_expression_begin, ph_expression_work };
static const PhCommand sql_row = { "select", "SQL", "Ask the tables about the graph" };
static const PhCommand expression_row = { "NAME =", "EXPRESSION", "Compute" };

PhCall *
ph_call_new (PhConsole *console, const char *line, GCancellable *cancellable)
{
  PhCall *call = g_new0 (PhCall, 1);

  call->console = g_object_ref (console);
  call->document = ph_console_get_document (console);
  call->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  call->reply = g_new0 (PhReply, 1);
  call->reply->command = g_strstrip (g_strdup (line));
  call->reply->ok = TRUE;
  call->reply->text = g_string_new (NULL);
  call->reply->json = json_object_new ();
  call->reply->mode = ph_preferences_get ()->mode;
  return call;
}

#define MAX_MESSAGE 2000 /* bytes: an error may quote a line of a megabyte */

static void
cut_message (GError *error)
{
  const gsize length = strlen (error->message);
  const char *end = error->message + MAX_MESSAGE * 3 / 4, *tail = error->message + length - MAX_MESSAGE / 4;
  g_autofree char *whole = NULL;

  if (length <= MAX_MESSAGE)
    return;
  while ((*end & 0xc0) == 0x80)
    end--;
  while ((*tail & 0xc0) == 0x80)
    tail++;
  whole = g_steal_pointer (&error->message);
  error->message = g_strdup_printf ("%.*s … (%" G_GSIZE_FORMAT " bytes left out) … %s", (int) (end - whole), whole,
                                    (gsize) (tail - end), tail);
}

void
ph_call_fail (PhCall *call, GError *error)
{
  call->reply->ok = FALSE;
  if (error != NULL)
    cut_message (error);
  if (call->reply->error == NULL)
    call->reply->error = error;
  else
    g_error_free (error);
}

static gboolean
reads_anew (const PhCommand *command)
{
  static const char *const names[] = { "open", "reload", "close", "quit", NULL };

  return g_strv_contains (names, command->name);
}

/* Warns once, with the next line, if the file on disk has changed since it was opened. */
static void
warn_of_change (PhCall *call)
{
  GPtrArray *problems;

  if (ph_document_check_files (call->document))
    return;
  problems = ph_document_get_problems (call->document);
  ph_json_set (call->reply->json, "warning", problems->pdata[problems->len - 1]);
  ph_reply_say (call->reply, PH_STYLE_CHANGED "problem: " PH_STYLE_RESET "%s\n", (char *) problems->pdata[problems->len - 1]);
}

/* Determines the kind of the line and runs its first part. Returns the command of the remaining parts, or NULL. */
const PhCommandCode *
ph_call_begin (PhCall *call)
{
  const PhCommandCode *code = NULL;
  GError *error = NULL;

  const PhLineKind kind = ph_call_split (call);

  call->begin_time = g_get_monotonic_time ();
  call->n_recorded = ph_document_get_n_recorded (call->document);
  call->reply->width = ph_console_get_width (call->console); /* who shows the line may have noticed another one */

  /* The name of a file may contain any bytes. */
  if (!g_utf8_validate (call->reply->command, -1, NULL)
      && !(kind == PH_LINE_COMMAND && call->command->arguments != NULL && strstr (call->command->arguments, "FILE") != NULL))
    {
      ph_call_fail (call, g_error_new (PH_ERROR, PH_ERROR_PARSE, "the line is not UTF-8 text"));
      return NULL;
    }
  if (*call->reply->command != '\0' && !call->plain)
    g_ptr_array_add (ph_console_get_lines (call->console), g_strdup (call->reply->command));
  switch (kind)
    {
    case PH_LINE_EMPTY: return NULL;
    case PH_LINE_SQL:
      call->command = &sql_row;
      code = &sql_code;
      call->reply->wide = g_str_has_suffix (call->rest, " --wide"); /* to SQL it is a comment */
      break;
    case PH_LINE_EXPRESSION:
      call->command = &expression_row;
      code = &expression_code;
      break;
    case PH_LINE_COMMAND:
      code = call->command->implementation;
      call->argv = ph_split_words (call->rest, &error);
      call->argc = call->argv != NULL ? g_strv_length (call->argv) : 0;
      call->reply->wide = call->argv != NULL && ph_call_take_flag (call, "--wide");
      break;
    }
  if (kind != PH_LINE_COMMAND || !reads_anew (call->command))
    warn_of_change (call);
  if (error != NULL || !code->begin (call, &error))
    {
      ph_call_fail (call, error);
      return NULL;
    }
  if (kind == PH_LINE_COMMAND) /* begin may have delegated to another command */
    code = call->command->implementation;
  return code->work != NULL || code->finish != NULL ? code : NULL;
}

gboolean
ph_call_hand_over (PhCall *call, const char *command, GError **error)
{
  call->command = ph_command_find (command);
  return ((const PhCommandCode *) call->command->implementation)->begin (call, error);
}

void
ph_call_read (PhCall *call, PhPosition at)
{
  call->at = at;
  call->since = ph_document_get_since (call->document);
  /* On the main thread the model cannot change meanwhile, so it needs no copy. */
  if (!call->threaded && ph_position_compare (at, ph_document_get_position (call->document)) == 0)
    {
      call->model = ph_document_get_model (call->document);
      call->history = ph_document_get_history (call->document);
    }
  else
    call->snapshot = ph_snapshot_new (call->document);
}

gboolean
ph_call_work (PhCall *call, const PhCommandCode *code, GError **error)
{
  gboolean ok;

  if (call->snapshot != NULL)
    {
      call->model = ph_snapshot_at (call->snapshot, call->at);
      call->history = ph_snapshot_get_history (call->snapshot);
    }
  ph_tensor_take_fault (NULL);
  ok = code->work (call, error);
  ok = (ok ? ph_tensor_take_fault (error) : (ph_tensor_take_fault (NULL), FALSE));
  if (call->snapshot != NULL)
    ph_snapshot_done (call->snapshot);
  call->model = NULL;
  return ok;
}

void
ph_call_finish (PhCall *call, const PhCommandCode *code)
{
  GError *error = NULL;

  if (code->finish != NULL && (call->reply->ok || code->finish_after_error) && !code->finish (call, &error))
    ph_call_fail (call, error);
  error = NULL;
  if (call->reply->ok && !ph_tensor_take_fault (&error))
    ph_call_fail (call, error);
}

/* No pass makes them again: what replaces them says how to get them back. */
static void
say_dropped (PhCall *call)
{
  const guint n = ph_document_get_n_recorded (call->document);

  if (n < call->n_recorded && call->command != NULL && !reads_anew (call->command))
    ph_reply_say (call->reply, "%u recorded step%s dropped: `reload` brings %s back\n", call->n_recorded - n,
                  call->n_recorded - n == 1 ? " is" : "s are", call->n_recorded - n == 1 ? "it" : "them");
}

/* Removes a failed line: a script that repeats the session must not contain it. */
static void
forget_line (PhConsole *console, const char *line)
{
  GPtrArray *lines = ph_console_get_lines (console);

  for (guint i = lines->len; i-- > 0;)
    if (g_str_equal (lines->pdata[i], line))
      {
        g_ptr_array_remove_index (lines, i);
        return;
      }
}

/* Appends errors to the text too, so that a caller which shows text need not check for them. */
void
ph_call_polish (PhCall *call, gboolean colour)
{
  PhReply *reply = call->reply;

  ph_call_check (call);
  say_dropped (call);
  if (!reply->ok && reply->error == NULL)
    reply->error = g_error_new (PH_ERROR, PH_ERROR_FAILED, "'%s' failed without saying why", reply->command);
  if (!call->polished)
    ph_reply_finish (reply, colour && call->redirect == PH_REDIRECT_NONE && !call->plain);
  call->polished = TRUE;
}

PhReply *
ph_call_take_reply (PhCall *call)
{
  ph_call_redirect (call);
  if (!call->reply->ok)
    forget_line (call->console, call->reply->command);
  return g_steal_pointer (&call->reply);
}

void
ph_call_reply_position (PhCall *call)
{
  PhPosition at = ph_document_get_position (call->document);
  g_autofree char *text = ph_position_to_string (at);

  if (at.rewrite == 0)
    json_object_set_int_member (call->reply->json, "position", at.step);
  else
    json_object_set_string_member (call->reply->json, "position", text);
  json_object_set_int_member (call->reply->json, "step", at.step + (at.rewrite > 0 ? 1 : 0));
  json_object_set_int_member (call->reply->json, "rewrite", at.rewrite);
}
