/* target.c: what the coverage-guided fuzzers share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/growth.h"
#include "core/io/io.h"

#define SECONDS 1

static char *folder;

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
}

void
target_enter_folder (void)
{
  folder = g_dir_make_tmp ("peephole-fuzz-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_assert_cmpint (g_chdir (folder), ==, 0);
  atexit (remove_folder);
}

/* A critical is a SIGTRAP, which libFuzzer does not know. */
static void
fail_on_critical (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  g_log_default_handler (domain, level & ~G_LOG_FLAG_FATAL, message, data);
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
    abort ();
}

void
target_init (void)
{
  static gsize once = 0;

  if (!g_once_init_enter (&once))
    return;
  g_log_set_default_handler (fail_on_critical, NULL);
  g_setenv ("PEEPHOLE_LAYOUT", "false", TRUE); /* pictures are laid out in this process */
  g_setenv ("OMP_NUM_THREADS", "1", TRUE);
  target_enter_folder ();
  ph_tensor_set_budget (64 << 20);
  ph_growth_set_budget (2000);
  g_once_init_leave (&once, 1);
}

void
target_fail (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  abort ();
}

/* ── a console ── */

static const char model_text[]
    = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
      "g (float[N,4] x, float[2,2] m) => (float[N,4] y, float[2,2] z)\n"
      "<float[4] w = {0.5, -1, 2, 0.25}, float[4,4] k = {1, 0, 0, 2, 0, 1, 0, 0, 3, 0, 1, 0, 0, 0, 4, 1}, float zero = {0}>\n"
      "{\n"
      "  a = MatMul (x, k)\n  b = Add (a, w)\n  c = Relu (b)\n  d = Add (c, zero)\n  e = Transpose <perm = [1, 0]> (d)\n"
      "  f = Transpose <perm = [1, 0]> (e)\n  y = Softmax <axis = 1> (f)\n  h = Neg (m)\n  i = Neg (h)\n  z = Mul (i, m)\n}\n";

void
target_console_open (TargetConsole *target)
{
  PhModel *model = ph_onnx_text_read (model_text, -1, "model", NULL);

  g_assert_nonnull (model);
  target->document = ph_document_new ();
  target->console = ph_console_new (target->document);
  ph_document_take_model (target->document, model, NULL, NULL);
}

void
target_console_close (TargetConsole *target)
{
  ph_document_set_proves (target->document, FALSE);
  g_clear_object (&target->console);
  g_clear_object (&target->document);
}

typedef struct
{
  GCancellable *cancellable;
  GMutex mutex;
  GCond cond;
  gboolean done;
} Watch;

static gpointer
cancel_late (gpointer data)
{
  Watch *watch = data;
  const gint64 end = g_get_monotonic_time () + SECONDS * G_USEC_PER_SEC;

  g_mutex_lock (&watch->mutex);
  while (!watch->done && g_cond_wait_until (&watch->cond, &watch->mutex, end))
    ;
  g_mutex_unlock (&watch->mutex);
  g_cancellable_cancel (watch->cancellable);
  return NULL;
}

static PhReply *
run_watched (PhConsole *console, const char *line)
{
  Watch watch = { .cancellable = g_cancellable_new () };
  GThread *thread;
  PhReply *reply;

  g_mutex_init (&watch.mutex);
  g_cond_init (&watch.cond);
  thread = g_thread_new ("watch", cancel_late, &watch);
  reply = ph_console_run (console, line, watch.cancellable);
  g_mutex_lock (&watch.mutex);
  watch.done = TRUE;
  g_cond_signal (&watch.cond);
  g_mutex_unlock (&watch.mutex);
  g_thread_join (thread);
  g_mutex_clear (&watch.mutex);
  g_cond_clear (&watch.cond);
  g_object_unref (watch.cancellable);
  return reply;
}

void
target_console_run (TargetConsole *target, const char *line)
{
  g_autoptr (PhReply) reply = run_watched (target->console, line);
  g_autofree char *json = ph_reply_to_json (reply);
  g_auto (GStrv) completions = NULL;
  guint word;

  g_assert_true (reply->ok == (reply->error == NULL));
  g_assert_true (reply->error == NULL || *reply->error->message != '\0');
  g_assert_true (g_utf8_validate (reply->text->str, (gssize) reply->text->len, NULL));
  g_assert_true (g_utf8_validate (json, -1, NULL));
  for (const char *p = reply->text->str; *p != '\0'; p++)
    g_assert_true ((guchar) *p >= 0x20 || *p == '\n' || *p == '\t');
  completions = ph_console_complete (target->console, line, (guint) strlen (line), &word);
  g_assert_cmpuint (word, <=, strlen (line));
}

char **
target_lines (const guint8 *data, gsize size, guint most)
{
  /* Files are those of the folder we are in, which is empty; no other program is started. */
  static const char *const never[] = { "/",  "~",   "..", "exec",       "load",       "plugin",
                                       " |", "\t|", ";|", "set memory", "set growth", NULL };
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  for (guint i = 0; lines[i] != NULL && kept->len < most; i++)
    {
      gboolean ok = *lines[i] != '\0' && strlen (lines[i]) < 4096;

      for (guint k = 0; never[k] != NULL && ok; k++)
        ok = strstr (lines[i], never[k]) == NULL;
      if (ok)
        g_ptr_array_add (kept, g_strdup (lines[i]));
    }
  g_ptr_array_add (kept, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&kept), FALSE);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  target_init ();
  return 0;
}
