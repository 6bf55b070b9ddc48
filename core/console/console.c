/* console.c: runs lines, at once or one after the other with their slow part in a worker thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/console-private.h"

/* A line that waits for its turn, or runs. */
typedef struct
{
  char         *line;
  char         *place;           /* (nullable) of a script's line: "script:12" */
  GCancellable *cancellable;
  GTask        *task;            /* (nullable) who waits for the reply       */
  PhCall       *call;            /* (nullable) while it runs in the worker   */
} Pending;

struct _PhConsole
{
  GObject     parent_instance;

  PhDocument *document;
  gboolean    colour;
  PhTrace    *trace;             /* (nullable) made when first asked for     */
  PhSql      *sql;               /* (nullable) likewise                      */
  GPtrArray  *lines;             /* (element-type char*) what was run        */
  GQueue      waiting;           /* of Pending                               */
  Pending    *running;           /* (nullable)                               */
  GQueue      pushed;            /* of Pending: lines that the present one put before the others */
  guint       idle;
  gboolean    held;              /* lines wait until somebody looks          */
  guint       depth;             /* of scripts that run scripts              */
};

enum { SIGNAL_STARTED, SIGNAL_FINISHED, SIGNAL_PROGRESS, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PhConsole, ph_console, G_TYPE_OBJECT)

static void start_next (PhConsole *console);

static void
pending_free (Pending *pending)
{
  g_free (pending->line);
  g_free (pending->place);
  g_clear_object (&pending->cancellable);
  g_clear_object (&pending->task);
  g_free (pending);
}

static void
call_free (PhCall *call)
{
  g_clear_pointer (&call->snapshot, ph_snapshot_free);
  if (call == NULL)
    return;
  if (call->free_data != NULL)
    call->free_data (call->data);
  g_strfreev (call->argv);
  g_clear_object (&call->cancellable);
  g_clear_pointer (&call->reply, ph_reply_free);
  g_object_unref (call->console);
  g_free (call);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhCall, call_free)

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
  signals[SIGNAL_STARTED] = g_signal_new ("started", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                          G_TYPE_STRING);
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

static const PhCommandCode sql_code = { ph_sql_begin, ph_sql_work };
static const PhCommandCode expression_code = { ph_expression_begin };
static const PhCommand     sql_row = { "select", "SQL", "Ask the tables about the graph" };
static const PhCommand     expression_row = { "NAME =", "EXPRESSION", "Compute" };

static PhCall *
call_new (PhConsole *console, const char *line, GCancellable *cancellable)
{
  PhCall *call = g_new0 (PhCall, 1);

  call->console = g_object_ref (console);
  call->document = console->document;
  call->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  call->reply = g_new0 (PhReply, 1);
  call->reply->command = g_strstrip (g_strdup (line));
  call->reply->ok = TRUE;
  call->reply->text = g_string_new (NULL);
  call->reply->json = json_object_new ();
  return call;
}

#define MAX_MESSAGE 2000        /* bytes: an error may quote a line, and a line may be a megabyte */

static void
cut_message (GError *error)
{
  const gsize      length = strlen (error->message);
  const char      *end = error->message + MAX_MESSAGE * 3 / 4, *tail = error->message + length - MAX_MESSAGE / 4;
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

static void
fail (PhCall *call, GError *error)
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

/* What is shown may no longer be what is on disk: said once, with the next line. */
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

/* Says what the line is and runs its first part. Returns the code that is left to do, or NULL. */
static const PhCommandCode *
call_begin (PhCall *call)
{
  const PhCommandCode *code = NULL;
  GError              *error = NULL;

  const PhLineKind kind = ph_line_classify (call->reply->command, &call->command, &call->rest);

  /* The name of a file may be any bytes. */
  if (!g_utf8_validate (call->reply->command, -1, NULL)
      && !(kind == PH_LINE_COMMAND && call->command->arguments != NULL && strstr (call->command->arguments, "FILE") != NULL))
    {
      fail (call, g_error_new (PH_ERROR, PH_ERROR_PARSE, "the line is not UTF-8 text"));
      return NULL;
    }
  if (*call->reply->command != '\0')
    g_ptr_array_add (call->console->lines, g_strdup (call->reply->command));
  switch (kind)
    {
    case PH_LINE_EMPTY:
      return NULL;
    case PH_LINE_SQL:
      call->command = &sql_row;
      code = &sql_code;
      break;
    case PH_LINE_EXPRESSION:
      call->command = &expression_row;
      code = &expression_code;
      break;
    case PH_LINE_COMMAND:
      code = call->command->implementation;
      call->argv = ph_split_words (call->rest, &error);
      call->argc = call->argv != NULL ? g_strv_length (call->argv) : 0;
      break;
    }
  if (kind != PH_LINE_COMMAND || !reads_anew (call->command))
    warn_of_change (call);
  if (error != NULL || !code->begin (call, &error))
    {
      fail (call, error);
      return NULL;
    }
  return code->work != NULL || code->finish != NULL ? code : NULL;
}

void
ph_call_read (PhCall *call, PhPosition at)
{
  call->at = at;
  call->since = ph_document_get_since (call->document);
  /* Where nobody moves the model meanwhile it needs no copy. */
  if (!call->threaded && ph_position_compare (at, ph_document_get_position (call->document)) == 0)
    {
      call->model = ph_document_get_model (call->document);
      call->history = ph_document_get_history (call->document);
    }
  else
    call->snapshot = ph_snapshot_new (call->document);
}

static gboolean
call_work (PhCall *call, const PhCommandCode *code, GError **error)
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

static void
call_finish (PhCall *call, const PhCommandCode *code)
{
  GError *error = NULL;

  if (code->finish != NULL && (call->reply->ok || code->finish_after_error) && !code->finish (call, &error))
    fail (call, error);
  error = NULL;
  if (call->reply->ok && !ph_tensor_take_fault (&error))
    fail (call, error);
}

/* A line that failed is none of a script that is to do the same again. */
static void
forget_line (PhConsole *console, const char *line)
{
  for (guint i = console->lines->len; i-- > 0;)
    if (g_str_equal (console->lines->pdata[i], line))
      {
        g_ptr_array_remove_index (console->lines, i);
        return;
      }
}

/* Errors end the text too: who shows text need not look further. */
static PhReply *
call_take_reply (PhCall *call)
{
  PhReply *reply = g_steal_pointer (&call->reply);

  if (!reply->ok)
    forget_line (call->console, reply->command);
  if (!reply->ok && reply->error == NULL)
    reply->error = g_error_new (PH_ERROR, PH_ERROR_FAILED, "'%s' failed without saying why", reply->command);
  if (!call->polished)
    ph_reply_finish (reply, call->console->colour);
  return reply;
}

static PhReply *
run_one (PhConsole *console, const char *line, GCancellable *cancellable)
{
  g_autoptr(PhCall)    call = call_new (console, line, cancellable);
  const PhCommandCode *code;
  GError              *error = NULL;

  g_signal_emit (console, signals[SIGNAL_STARTED], 0, call->reply->command);
  code = call_begin (call);
  if (code != NULL)
    {
      if (code->work != NULL && !call_work (call, code, &error))
        fail (call, error);
      call_finish (call, code);
    }

  PhReply *reply = call_take_reply (call);
  g_signal_emit (console, signals[SIGNAL_FINISHED], 0, reply);
  return reply;
}

#define MAX_DEPTH 16

/* What a script's line answered becomes part of the script's own reply. */
static void
run_pushed (PhConsole *console, PhReply *outer, GCancellable *cancellable)
{
  GQueue     lines = console->pushed;
  JsonArray *replies = NULL;
  Pending   *pending;

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
      PhReply               *reply = run_one (console, pending->line, cancellable);
      g_autofree char       *text = NULL;
      g_autoptr(JsonParser)  parser = json_parser_new ();

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

static void
end_running (PhConsole *console)
{
  g_autoptr(PhCall) call = g_steal_pointer (&console->running->call);
  Pending          *pending = g_steal_pointer (&console->running);
  PhReply          *reply = call_take_reply (call);
  Pending          *next;

  ph_document_set_busy (console->document, FALSE);
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
worked (GObject *source, GAsyncResult *result, gpointer data)
{
  PhConsole           *console = PH_CONSOLE (source);
  PhCall              *call = console->running->call;
  const PhCommandCode *code = g_task_get_task_data (G_TASK (result));
  GError              *error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    fail (call, error);
  call_finish (call, code);
  end_running (console);
}

static void
work_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  PhCall              *call = PH_CONSOLE (source)->running->call;
  const PhCommandCode *code = data;
  GError              *error = NULL;

  if (!call_work (call, code, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  if (code->finish == NULL)
    {
      ph_reply_finish (call->reply, call->console->colour);
      call->polished = TRUE;
    }
  g_task_return_boolean (task, TRUE);
}

static gboolean
start_in_idle (gpointer data)
{
  PhConsole           *console = data;
  Pending             *pending = g_queue_pop_head (&console->waiting);
  const PhCommandCode *code;

  console->idle = 0;
  if (pending == NULL)
    return G_SOURCE_REMOVE;

  g_object_ref (console);
  console->running = pending;
  pending->call = call_new (console, pending->line, pending->cancellable);
  g_signal_emit (console, signals[SIGNAL_STARTED], 0, pending->call->reply->command);
  pending->call->threaded = TRUE;
  code = call_begin (pending->call);
  if (code != NULL && code->work != NULL)
    {
      g_autoptr(GTask) task = g_task_new (console, NULL, worked, NULL);

      ph_document_set_busy (console->document, TRUE);
      g_task_set_task_data (task, (gpointer) code, NULL);
      g_task_run_in_thread (task, work_in_thread);
    }
  else
    {
      if (code != NULL)
        call_finish (pending->call, code);
      end_running (console);
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

/* ── progress ── */

typedef struct { PhConsole *console; char *what; double fraction; } Progress;

static void
progress_free (gpointer data)
{
  Progress *progress = data;

  g_object_unref (progress->console);
  g_free (progress->what);
  g_free (progress);
}

static gboolean
emit_progress (gpointer data)
{
  Progress *progress = data;

  g_signal_emit (progress->console, signals[SIGNAL_PROGRESS], 0, progress->what, progress->fraction);
  return G_SOURCE_REMOVE;
}

void
ph_call_progress (PhCall *call, const char *what, double fraction)
{
  gint64 now = g_get_monotonic_time ();

  if (now - call->progress_time < G_USEC_PER_SEC / 20)
    return;
  call->progress_time = now;
  if (!call->threaded)
    {
      g_signal_emit (call->console, signals[SIGNAL_PROGRESS], 0, what, fraction);
      return;
    }

  Progress *progress = g_new (Progress, 1);
  progress->console = g_object_ref (call->console);
  progress->what = g_strdup (what);
  progress->fraction = fraction;
  g_idle_add_full (G_PRIORITY_DEFAULT, emit_progress, progress, progress_free);
}

void
ph_call_reply_position (PhCall *call)
{
  PhPosition       at = ph_document_get_position (call->document);
  g_autofree char *text = ph_position_to_string (at);

  if (at.rewrite == 0)
    json_object_set_int_member (call->reply->json, "position", at.step);
  else
    json_object_set_string_member (call->reply->json, "position", text);
  json_object_set_int_member (call->reply->json, "step", at.step + (at.rewrite > 0 ? 1 : 0));
  json_object_set_int_member (call->reply->json, "rewrite", at.rewrite);
}
