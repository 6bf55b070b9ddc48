/* console.c: runs lines, at once or one after the other with their slow part in a worker thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/console-private.h"

/* A line that waits for its turn, or runs. */
typedef struct
{
  char *line;
  char *place; /* (nullable) of a script's line: "script:12" */
  GCancellable *cancellable;
  struct Inner *inner; /* (nullable) its answer goes into another line */
  GError *failure;     /* (nullable) of a line that was to stand in it */
  gsize scanned;       /* bytes of @line in which no $( is looked for  */
  GTask *task;         /* (nullable) who waits for the reply       */
  PhCall *call;        /* (nullable) while it runs in the worker   */
} Pending;

struct Inner
{
  Pending *outer;
  gsize start, end;
};

struct _PhConsole
{
  GObject parent_instance;

  PhDocument *document;
  gboolean colour;
  guint width;      /* of the terminal, or 0                    */
  PhTrace *trace;   /* (nullable) made when first asked for     */
  PhSql *sql;       /* (nullable) likewise                      */
  GPtrArray *lines; /* (element-type char*) what was run        */
  GQueue waiting;   /* of Pending                               */
  Pending *running; /* (nullable)                               */
  GQueue pushed;    /* of Pending: lines that the present one put before the others */
  guint idle;
  gboolean held; /* lines wait until somebody looks          */
  guint depth;   /* of scripts that run scripts              */
};

enum
{
  SIGNAL_STARTED,
  SIGNAL_FINISHED,
  SIGNAL_PROGRESS,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PhConsole, ph_console, G_TYPE_OBJECT)

static void start_next (PhConsole *console);

static void
pending_free (Pending *pending)
{
  if (pending->inner != NULL)
    {
      pending_free (pending->inner->outer);
      g_free (pending->inner);
    }
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
  g_queue_clear_full (&self->waiting, (GDestroyNotify) pending_free);
  g_queue_clear_full (&self->pushed, (GDestroyNotify) pending_free);
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
  signals[SIGNAL_STARTED] = g_signal_new ("started", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_FINISHED] = g_signal_new ("finished", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                           G_TYPE_POINTER);
  signals[SIGNAL_PROGRESS] = g_signal_new ("progress", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                           G_TYPE_STRING, G_TYPE_DOUBLE);
}

static void
ph_console_init (PhConsole *self)
{
  self->lines = g_ptr_array_new_with_free_func (g_free);
  g_queue_init (&self->waiting);
  g_queue_init (&self->pushed);
}

PhConsole *
ph_console_new (PhDocument *document)
{
  PhConsole *console = g_object_new (PH_TYPE_CONSOLE, NULL);

  console->document = g_object_ref (document);
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

/* ── one line ── */

#define MAX_DEPTH 16

static PhReply *run_line (PhConsole *console, const char *line, gboolean plain, GCancellable *cancellable);

/* @line with the answers of those in it. (transfer full) */
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
        reply = run_line (console, inner, TRUE, cancellable);
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

/* @plain: its answer is for another line. */
static PhReply *
run_line (PhConsole *console, const char *line, gboolean plain, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autofree char *filled = fill_in (console, line, cancellable, &error);
  g_autoptr (PhCall) call = ph_call_new (console, filled != NULL ? filled : line, cancellable);
  const PhCommandCode *code;

  call->plain = plain;
  if (!plain)
    g_signal_emit (console, signals[SIGNAL_STARTED], 0, call->reply->command);
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
  ph_call_polish (call, console->colour);
  if (call->redirect == PH_REDIRECT_PROGRAM && call->reply->ok)
    run_program (call);

  PhReply *reply = ph_call_take_reply (call);
  if (!plain)
    g_signal_emit (console, signals[SIGNAL_FINISHED], 0, reply);
  return reply;
}

static PhReply *
run_one (PhConsole *console, const char *line, GCancellable *cancellable)
{
  return run_line (console, line, FALSE, cancellable);
}

/* What a script's line answered becomes part of the script's own reply. */
static void
run_pushed (PhConsole *console, PhReply *outer, GCancellable *cancellable)
{
  GQueue lines = console->pushed;
  JsonArray *replies = NULL;
  Pending *pending;

  g_queue_init (&console->pushed);
  if (g_queue_is_empty (&lines))
    return;
  if (console->depth >= MAX_DEPTH)
    {
      g_queue_clear_full (&lines, (GDestroyNotify) pending_free);
      outer->ok = FALSE;
      outer->error = g_error_new (PH_ERROR, PH_ERROR_USAGE, "scripts call each other more than %d deep: is one calling itself?",
                                  MAX_DEPTH);
      return;
    }

  console->depth++;
  replies = ph_reply_array (outer, "replies");
  while (outer->ok && !outer->quit && (pending = g_queue_pop_head (&lines)) != NULL)
    {
      PhReply *reply = run_one (console, pending->line, cancellable);
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
      pending_free (pending);
    }
  console->depth--;
  g_queue_clear_full (&lines, (GDestroyNotify) pending_free);
}

PhReply *
ph_console_run (PhConsole *console, const char *line, GCancellable *cancellable)
{
  g_return_val_if_fail (PH_IS_CONSOLE (console) && line != NULL, NULL);

  PhReply *reply = run_one (console, line, cancellable);
  run_pushed (console, reply, cancellable);
  return reply;
}

void
ph_call_push_line (PhCall *call, const char *line, const char *place)
{
  Pending *pending = g_new0 (Pending, 1);

  pending->line = g_strdup (line);
  pending->place = g_strdup (place);
  pending->cancellable = g_cancellable_new ();
  g_queue_push_tail (&call->console->pushed, pending);
}

/* ── one line after the other, with a worker ── */

/* The first failure ends a script, and the script that ran it. */
static void
drop_script_lines (PhConsole *console)
{
  for (GList *link = console->waiting.head, *next; link != NULL; link = next)
    {
      next = link->next;
      if (((Pending *) link->data)->place != NULL)
        {
          pending_free (link->data);
          g_queue_delete_link (&console->waiting, link);
        }
    }
}

/* The line around it runs next, with the answer in it; or fails as it failed. */
static void
end_inner (PhConsole *console, Pending *pending, PhReply *reply)
{
  Pending *outer = g_steal_pointer (&pending->inner->outer);
  const gsize start = pending->inner->start, end = pending->inner->end;
  g_autofree char *words = reply->ok ? ph_reply_to_words (reply) : NULL;

  if (reply->ok)
    {
      g_autofree char *line = g_steal_pointer (&outer->line);

      outer->line = g_strdup_printf ("%.*s%s%s", (int) start, line, words, line + end);
      outer->scanned = start + strlen (words);
    }
  else
    outer->failure = g_error_new (reply->error->domain, reply->error->code, "%s: %s", pending->line, reply->error->message);
  g_free (g_steal_pointer (&pending->inner));
  g_queue_push_head (&console->waiting, outer);
}

static void
end_running (PhConsole *console)
{
  g_autoptr (PhCall) call = g_steal_pointer (&console->running->call);
  Pending *pending = g_steal_pointer (&console->running);
  PhReply *reply = ph_call_take_reply (call);
  Pending *next;

  ph_document_set_busy (console->document, FALSE);
  if (pending->inner != NULL)
    {
      end_inner (console, pending, reply);
      ph_reply_free (reply);
      pending_free (pending);
      start_next (console);
      return;
    }
  if (!reply->ok)
    g_queue_clear_full (&console->pushed, (GDestroyNotify) pending_free);
  if (!reply->ok && pending->place != NULL)
    {
      g_prefix_error (&reply->error, "%s: ", pending->place);
      drop_script_lines (console);
    }
  while ((next = g_queue_pop_tail (&console->pushed)) != NULL)
    g_queue_push_head (&console->waiting, next);
  g_signal_emit (console, signals[SIGNAL_FINISHED], 0, reply);
  if (pending->task != NULL)
    g_task_return_pointer (pending->task, reply, (GDestroyNotify) ph_reply_free);
  else
    ph_reply_free (reply);
  pending_free (pending);
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

/* The reply is there, but for what a program makes of it. */
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
worked (GObject *source, GAsyncResult *result, gpointer data)
{
  PhConsole *console = PH_CONSOLE (source);
  PhCall *call = console->running->call;
  const PhCommandCode *code = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    ph_call_fail (call, error);
  ph_call_finish (call, code);
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

/* What runs first: @pending, or what is to stand in it. */
static Pending *
innermost (PhConsole *console, Pending *pending)
{
  gsize end;
  char *text;

  while (pending->failure == NULL && (text = ph_line_find_inner (console, pending->line, &pending->scanned, &end)) != NULL)
    {
      Pending *inner = g_new0 (Pending, 1);

      inner->line = text;
      inner->cancellable = g_object_ref (pending->cancellable);
      inner->inner = g_new0 (struct Inner, 1);
      *inner->inner = (struct Inner) { pending, pending->scanned, end };
      pending = inner;
    }
  return pending;
}

static gboolean
start_in_idle (gpointer data)
{
  PhConsole *console = data;
  Pending *pending = g_queue_pop_head (&console->waiting);
  const PhCommandCode *code;

  console->idle = 0;
  if (pending == NULL)
    return G_SOURCE_REMOVE;

  g_object_ref (console);
  pending = innermost (console, pending);
  console->running = pending;
  pending->call = ph_call_new (console, pending->line, pending->cancellable);
  pending->call->plain = pending->inner != NULL;
  if (pending->inner == NULL)
    g_signal_emit (console, signals[SIGNAL_STARTED], 0, pending->call->reply->command);
  pending->call->threaded = TRUE;
  code = pending->failure == NULL ? ph_call_begin (pending->call) : NULL;
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
        ph_call_finish (pending->call, code);
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
ph_console_run_async (PhConsole *console, const char *line, GCancellable *cancellable, GAsyncReadyCallback callback,
                      gpointer data)
{
  g_return_if_fail (PH_IS_CONSOLE (console) && line != NULL);

  Pending *pending = g_new0 (Pending, 1);

  pending->line = g_strdup (line);
  pending->cancellable = cancellable != NULL ? g_object_ref (cancellable) : g_cancellable_new ();
  pending->task = g_task_new (console, NULL, callback, data);
  g_queue_push_tail (&console->waiting, pending);
  start_next (console);
}

void
ph_console_look (PhConsole *console, const char *line)
{
  g_return_if_fail (PH_IS_CONSOLE (console) && line != NULL);

  if (!ph_console_is_running (console))
    ph_reply_free (run_line (console, line, FALSE, NULL));
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
  Pending *pending;

  while ((pending = g_queue_pop_head (&console->waiting)) != NULL)
    {
      if (pending->task != NULL)
        g_task_return_new_error (pending->task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "'%s' was cancelled", pending->line);
      pending_free (pending);
    }
  if (console->running != NULL)
    g_cancellable_cancel (console->running->cancellable);
}
