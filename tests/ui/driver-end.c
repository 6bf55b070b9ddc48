/* driver-end.c: the helper that a test starts, and the end: nothing that was made is there any more when the leak checker looks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ui/driver-private.h"

/* --- the helper --------------------------------------------------------------------------------------------------------- */

/* The running helper that this process started, or 0. The words of other processes are not read: that waits while one maps memory. */
static pid_t
find_helper (void)
{
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (processes && (name = g_dir_read_name (processes)))
    {
      g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL), *words = NULL, *stat = NULL, *program = NULL;
      if (!g_ascii_isdigit (*name) || !g_file_get_contents (path, &stat, NULL, NULL))
        continue;
      const char *end = strrchr (stat, ')');
      int parent;
      char state;
      if (!end || sscanf (end + 1, " %c %d", &state, &parent) != 2 || parent != (int) getpid () || state == 'Z')
        continue;
      /* By its arguments: it starts itself anew for a larger stack, under another name. */
      words = g_build_filename ("/proc", name, "cmdline", NULL);
      if (g_file_get_contents (words, &program, NULL, NULL) && g_str_has_suffix (program, "peephole-layout"))
        return (pid_t) atoi (name);
    }
  return 0;
}

gboolean
driver_has_no_helper (gpointer unused)
{
  return find_helper () == 0;
}

gboolean
driver_kill_helper (void)
{
  pid_t helper = find_helper ();

  return helper && kill (helper, SIGKILL) == 0;
}

static gboolean
go_on (gpointer helper)
{
  kill (GPOINTER_TO_INT (helper), SIGCONT);
  return G_SOURCE_REMOVE;
}

gboolean
driver_stop_helper (guint ms)
{
  pid_t helper = find_helper ();

  if (!helper || kill (helper, SIGSTOP) != 0)
    return FALSE;
  if (ms > 0)
    g_timeout_add (ms, go_on, GINT_TO_POINTER (helper));
  return TRUE;
}

/* --- what still lives --------------------------------------------------------------------------------------------------- */

typedef struct
{
  GWeakRef ref;
  gpointer address;
} Watched;

static GPtrArray *watched;

static void
watched_free (gpointer data)
{
  Watched *one = data;

  g_weak_ref_clear (&one->ref);
  g_free (one);
}

static gboolean
is_gone (Watched *one)
{
  g_autoptr (GObject) object = g_weak_ref_get (&one->ref);

  return object == NULL;
}

void
driver_watch (gpointer object)
{
  if (!watched)
    watched = g_ptr_array_new_with_free_func (watched_free);
  for (guint i = watched->len; i-- > 0;)
    {
      Watched *one = watched->pdata[i];
      if (is_gone (one))
        g_ptr_array_remove_index_fast (watched, i);
      else if (one->address == object)
        return;
    }
  Watched *one = g_new0 (Watched, 1);
  g_weak_ref_init (&one->ref, object);
  one->address = object;
  g_ptr_array_add (watched, one);
}

static void
list_objects (GString *what)
{
  for (guint i = 0; watched && i < watched->len; i++)
    {
      g_autoptr (GObject) object = g_weak_ref_get (&((Watched *) watched->pdata[i])->ref);
      if (object)
        g_string_append_printf (what, "; a %s with %u references", G_OBJECT_TYPE_NAME (object), object->ref_count - 1);
    }
}

/* What computes, or was given something to do. Those of a pool wait for more for a while before they end, those that paint tiles never end. */
static void
list_threads (GString *what)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  guint in_pools = 0;
  const char *id;

  while (threads && (id = g_dir_read_name (threads)))
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", id, "stat", NULL), *stat = NULL;
      if (atoi (id) == (int) getpid () || !g_file_get_contents (path, &stat, NULL, NULL))
        continue;
      const char *name = strchr (stat, '('), *end = strrchr (stat, ')');
      if (!name || !end)
        continue;
      if (g_str_has_prefix (name, "(prove)") || g_str_has_prefix (name, "(interrupt)") || strchr ("RD", end[2]))
        g_string_append_printf (what, "; the thread %.*s)", (int) (end - name), name);
      in_pools += g_str_has_prefix (name, "(pool-") && !g_str_has_prefix (name, "(pool-spawner");
    }
  if (in_pools > g_thread_pool_get_num_unused_threads ())
    g_string_append_printf (what, "; %u of %u threads of the pool", in_pools - g_thread_pool_get_num_unused_threads (), in_pools);
}

static GString *
list_what_is_left (void)
{
  GString *what = g_string_new (NULL);

  list_threads (what);
  if (find_helper ())
    g_string_append (what, "; the layout helper");
  if (g_main_context_pending (NULL))
    g_string_append (what, "; something in the main loop");
  return what;
}

void
driver_rest (void)
{
  const gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  /* What one thing has left to the next may show only a moment later. */
  for (guint looks = 0; looks < 5;)
    {
      driver_pause (0.01);
      while (g_main_context_pending (NULL) && g_get_monotonic_time () < until)
        g_main_context_iteration (NULL, FALSE);
      g_autoptr (GString) what = list_what_is_left ();
      looks = what->len == 0 ? looks + 1 : 0;
      if (what->len > 0 && g_get_monotonic_time () > until)
        g_error ("A minute after its window was closed there still is: %s", what->str + 2);
    }
  /* Nothing that is still to come could let go of these. What something of GTK's holds is no leak to the checker. */
  g_autoptr (GString) objects = g_string_new (NULL);
  list_objects (objects);
  if (objects->len > 0)
    g_printerr ("After its window was closed there still is: %s\n", objects->str + 2);
  if (objects->len > 0 && g_getenv ("PEEPHOLE_UI_STRICT"))
    g_error ("Objects are left");
  g_clear_pointer (&watched, g_ptr_array_unref);
}
