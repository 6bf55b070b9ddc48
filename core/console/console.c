/* console.c: runs lines, directly or with the slow part in a worker thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-parts.h"
#include "core/console/call-work.h"
#include "core/console/console-queue.h"
#include "core/console/reply-text.h"

guint ph_console_signals[PH_CONSOLE_N_SIGNALS];

G_DEFINE_FINAL_TYPE (PhConsole, ph_console, G_TYPE_OBJECT)

static void start_next (PhConsole *console);

void
ph_pending_free (PhPending *pending)
{
  if (pending->outer != NULL)
    ph_pending_free (pending->outer);
  g_free (pending->line);
  g_free (pending->place);
  g_clear_error (&pending->failure);
  g_clear_object (&pending->cancellable);
  g_clear_object (&pending->task);
  g_free (pending);
}

static void
ph_console_finalize (GObject *object)
{
  PhConsole *self = PH_CONSOLE (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_queue_clear_full (&self->waiting, (GDestroyNotify) ph_pending_free);
  g_queue_clear_full (&self->pushed, (GDestroyNotify) ph_pending_free);
  g_clear_pointer (&self->trace, ph_trace_free);
  g_clear_pointer (&self->sql, ph_sql_free);
  g_ptr_array_unref (self->lines);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (ph_console_parent_class)->finalize (object);
}

static void
ph_console_class_init (PhConsoleClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = ph_console_finalize;
  ph_console_signals[PH_CONSOLE_STARTED] = g_signal_new ("started", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                                         G_TYPE_STRING);
  ph_console_signals[PH_CONSOLE_FINISHED] = g_signal_new ("finished", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                                          1, G_TYPE_POINTER);
  ph_console_signals[PH_CONSOLE_PROGRESS] = g_signal_new ("progress", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                                          2, G_TYPE_STRING, G_TYPE_DOUBLE);
}

static void
ph_console_init (PhConsole *self)
{
  self->lines = g_ptr_array_new_with_free_func (g_free);
  g_queue_init (&self->waiting);
  g_queue_init (&self->pushed);
}

/* Records a selection made in the window. Consecutive ones are common: only the last line is kept. */
static void
on_selection (PhConsole *console)
{
  const PhId id = ph_document_get_selection (console->document);
  const char *last = console->lines->len > 0 ? g_ptr_array_index (console->lines, console->lines->len - 1) : "";

  if (console->doing > 0)
    return;
  if (g_str_has_prefix (last, "select-node"))
    g_ptr_array_set_size (console->lines, (int) console->lines->len - 1);
  g_ptr_array_add (console->lines, id != PH_NO_ID ? g_strdup_printf ("select-node n%u", id) : g_strdup ("select-node"));
}

PhConsole *
ph_console_new (PhDocument *document)
{
  PhConsole *console = g_object_new (PH_TYPE_CONSOLE, NULL);

  console->document = g_object_ref (document);
  g_signal_connect_object (document, "notify::selection", G_CALLBACK (on_selection), console, G_CONNECT_SWAPPED);
  return console;
}

PhDocument *
ph_console_get_document (PhConsole *console)
{
  return console->document;
}

void
ph_console_set_colour (PhConsole *console, gboolean colour)
{
  console->colour = colour;
}

void
ph_console_set_width (PhConsole *console, guint columns)
{
  console->width = columns;
}

guint
ph_console_get_width (PhConsole *console)
{
  return console->width;
}

PhTrace *
ph_console_get_trace (PhConsole *console)
{
  if (console->trace == NULL)
    console->trace = ph_trace_new ();
  return console->trace;
}

PhSql *
ph_console_get_sql (PhConsole *console)
{
  if (console->sql == NULL)
    console->sql = ph_sql_new (console->document);
  return console->sql;
}

GPtrArray *
ph_console_get_lines (PhConsole *console)
{
  return console->lines;
}

static PhPending *
push_line (GQueue *queue, const char *line)
{
  PhPending *pending = g_new0 (PhPending, 1);

  pending->line = g_strdup (line);
  pending->cancellable = g_cancellable_new ();
  g_queue_push_tail (queue, pending);
  return pending;
}

void
ph_call_push_line (PhCall *call, const char *line, const char *place)
{
  push_line (&call->console->pushed, line)->place = g_strdup (place);
}

/* ── one line after the other, with a worker ── */

/* Drops the rest of a script after a failure, and of the script that ran it. */
static void
drop_script_lines (PhConsole *console)
{
  for (GList *link = console->waiting.head, *next; link != NULL; link = next)
    {
      next = link->next;
      if (((PhPending *) link->data)->place != NULL)
        {
          ph_pending_free (link->data);
          g_queue_delete_link (&console->waiting, link);
        }
    }
}

/* Continues the outer line with the reply inserted, or fails with it. */
static void
end_inner (PhConsole *console, PhPending *pending, PhReply *reply)
{
  PhPending *outer = g_steal_pointer (&pending->outer);
  g_autofree char *words = reply->ok ? ph_reply_to_words (reply) : NULL;

  if (reply->ok)
    {
      g_autofree char *line = g_steal_pointer (&outer->line);

      outer->line = g_strdup_printf ("%.*s%s%s", (int) pending->start, line, words, line + pending->end);
      outer->scanned = pending->start + strlen (words);
    }
  else
    outer->failure = g_error_new (reply->error->domain, reply->error->code, "%s: %s", pending->line, reply->error->message);
  g_queue_push_head (&console->waiting, outer);
}

static void
end_running (PhConsole *console)
{
  g_autoptr (PhCall) call = g_steal_pointer (&console->running->call);
  PhPending *pending = g_steal_pointer (&console->running);
  PhReply *reply = ph_call_take_reply (call);
  PhPending *next;

  ph_document_set_busy (console->document, FALSE);
  if (pending->outer != NULL)
    {
      end_inner (console, pending, reply);
      ph_reply_free (reply);
      ph_pending_free (pending);
      start_next (console);
      return;
    }
  if (!reply->ok)
    g_queue_clear_full (&console->pushed, (GDestroyNotify) ph_pending_free);
  if (!reply->ok && pending->place != NULL)
    {
      g_prefix_error (&reply->error, "%s: ", pending->place);
      drop_script_lines (console);
    }
  while ((next = g_queue_pop_tail (&console->pushed)) != NULL)
    g_queue_push_head (&console->waiting, next);
  g_signal_emit (console, ph_console_signals[PH_CONSOLE_FINISHED], 0, reply);
  if (pending->task != NULL)
    g_task_return_pointer (pending->task, reply, (GDestroyNotify) ph_reply_free);
  else
    ph_reply_free (reply);
  ph_pending_free (pending);
  start_next (console);
}

static void
communicated (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhConsole) console = data;
  g_autoptr (GBytes) output = NULL;
  GError *error = NULL;

  g_subprocess_communicate_finish (G_SUBPROCESS (source), result, &output, NULL, &error);
  ph_call_take_output (console->running->call, G_SUBPROCESS (source), output, error);
  g_clear_error (&error);
  end_running (console);
}

/* Finishes the reply, or passes it on to the program after the pipe. */
static void
end_line (PhConsole *console)
{
  PhCall *call = console->running->call;
  GError *error = NULL;
  g_autoptr (GSubprocess) program = NULL;

  ph_call_polish (call, console->colour);
  if (call->redirect == PH_REDIRECT_PROGRAM && call->reply->ok)
    {
      program = ph_call_start_program (call, &error);
      if (program != NULL)
        {
          g_subprocess_communicate_async (program, NULL, call->cancellable, communicated, g_object_ref (console));
          return;
        }
      ph_call_fail (call, error);
    }
  end_running (console);
}

static void
finish (PhCall *call, const PhCommandCode *code)
{
  call->console->doing++;
  ph_call_finish (call, code);
  call->console->doing--;
}

static void
worked (GObject *source, GAsyncResult *result, gpointer data)
{
  PhConsole *console = PH_CONSOLE (source);
  PhCall *call = console->running->call;
  const PhCommandCode *code = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    ph_call_fail (call, error);
  finish (call, code);
  end_line (console);
}

static void
work_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  PhCall *call = PH_CONSOLE (source)->running->call;
  const PhCommandCode *code = data;
  GError *error = NULL;

  if (!ph_call_work (call, code, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  if (code->finish == NULL && call->wanted == NULL && !call->asserts)
    {
      ph_reply_finish (call->reply, call->console->colour && call->redirect == PH_REDIRECT_NONE && !call->plain);
      call->polished = TRUE;
    }
  g_task_return_boolean (task, TRUE);
}

/* Returns the line to run first: @pending, or the innermost substitution in it. */
static PhPending *
innermost (PhConsole *console, PhPending *pending)
{
  gsize end;
  char *text;

  while (pending->failure == NULL && (text = ph_line_find_inner (console, pending->line, &pending->scanned, &end)) != NULL)
    {
      PhPending *inner = g_new0 (PhPending, 1);

      inner->line = text;
      inner->cancellable = g_object_ref (pending->cancellable);
      inner->outer = pending;
      inner->start = pending->scanned;
      inner->end = end;
      pending = inner;
    }
  return pending;
}

static gboolean
start_in_idle (gpointer data)
{
  PhConsole *console = data;
  PhPending *pending = g_queue_pop_head (&console->waiting);
  const PhCommandCode *code;

  console->idle = 0;
  if (pending == NULL)
    return G_SOURCE_REMOVE;

  g_object_ref (console);
  pending = innermost (console, pending);
  console->running = pending;
  pending->call = ph_call_new (console, pending->line, pending->cancellable);
  pending->call->plain = pending->outer != NULL;
  pending->call->typed = pending->typed;
  if (pending->outer == NULL)
    g_signal_emit (console, ph_console_signals[PH_CONSOLE_STARTED], 0, pending->call->reply->command);
  pending->call->threaded = TRUE;
  console->doing++;
  code = pending->failure == NULL ? ph_call_begin (pending->call) : NULL;
  console->doing--;
  if (pending->failure != NULL)
    ph_call_fail (pending->call, g_steal_pointer (&pending->failure));
  if (code != NULL && code->work != NULL)
    {
      g_autoptr (GTask) task = g_task_new (console, NULL, worked, NULL);

      ph_document_set_busy (console->document, TRUE);
      g_task_set_task_data (task, (gpointer) code, NULL);
      g_task_run_in_thread (task, work_in_thread);
    }
  else
    {
      if (code != NULL)
        finish (pending->call, code);
      end_line (console);
    }
  g_object_unref (console);
  return G_SOURCE_REMOVE;
}

static void
start_next (PhConsole *console)
{
  if (!console->held && console->running == NULL && console->idle == 0 && !g_queue_is_empty (&console->waiting))
    console->idle = g_idle_add_full (G_PRIORITY_DEFAULT, start_in_idle, console, NULL);
}

void
ph_console_run_async (PhConsole *console, const char *line, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (PH_IS_CONSOLE (console) && line != NULL);

  push_line (&console->waiting, line)->task = g_task_new (console, NULL, callback, data);
  start_next (console);
}

void
ph_console_run_typed (PhConsole *console, const char *line)
{
  g_return_if_fail (PH_IS_CONSOLE (console) && line != NULL);

  push_line (&console->waiting, line)->typed = TRUE;
  start_next (console);
}

void
ph_console_look (PhConsole *console, const char *line)
{
  g_return_if_fail (PH_IS_CONSOLE (console) && line != NULL);

  if (!ph_console_is_running (console))
    ph_reply_free (ph_console_run_line (console, line, FALSE, NULL));
  else if (ph_view_state_say (ph_document_get_view (console->document), line, NULL))
    g_ptr_array_add (console->lines, g_strdup (line));
}

void
ph_console_set_held (PhConsole *console, gboolean held)
{
  g_return_if_fail (PH_IS_CONSOLE (console));

  console->held = held;
  if (held)
    g_clear_handle_id (&console->idle, g_source_remove);
  start_next (console);
}

PhReply *
ph_console_run_finish (PhConsole *console, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, console), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

gboolean
ph_console_is_running (PhConsole *console)
{
  return console->running != NULL || !g_queue_is_empty (&console->waiting);
}

void
ph_console_cancel (PhConsole *console)
{
  PhPending *pending;

  while ((pending = g_queue_pop_head (&console->waiting)) != NULL)
    {
      if (pending->task != NULL)
        g_task_return_new_error (pending->task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "'%s' was cancelled", pending->line);
      ph_pending_free (pending);
    }
  if (console->running != NULL)
    g_cancellable_cancel (console->running->cancellable);
}
