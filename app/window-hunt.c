/* window-hunt.c: a hunt started from the window. The reduced model opens in a tab of its own, fed with the counterexample, before and after
 * side by side.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "app/window-private.h"

typedef struct
{
  PhWindow *window;     /* (nullable) weak                                       */
  PhDocumentView *view; /* owned: where it was hunted                            */
  char *folder;         /* with the report and the reduced model                 */
} Hunt;

static void
hunt_free (Hunt *hunt)
{
  g_clear_weak_pointer (&hunt->window);
  g_object_unref (hunt->view);
  g_free (hunt->folder);
  g_free (hunt);
}

/* Creates a folder that is kept: reports and reduced models must not have to be searched again. (transfer full) (nullable) */
static char *
make_folder (void)
{
  g_autofree char *places = g_build_filename (g_get_user_cache_dir (), "peephole", "hunts", NULL);
  g_autofree char *folder = g_mkdir_with_parents (places, 0700) == 0 ? g_build_filename (places, "XXXXXX", NULL) : NULL;

  return folder && g_mkdtemp (folder) ? g_steal_pointer (&folder) : NULL;
}

static const char *
get_text (JsonObject *json, const char *name)
{
  return json_object_get_string_member_with_default (json, name, NULL);
}

/* Returns a text like "wrong: pass cse, rule merge-equal: first [0, 2] is -0.9, and should be 0". (transfer full) */
static char *
describe (JsonObject *json)
{
  const char *rule = get_text (json, "rule"), *output = get_text (json, "output"), *expected = get_text (json, "expected"),
             *message = get_text (json, "message"), *note = get_text (json, "note"), *place = get_text (json, "place");
  GString *text = g_string_new (NULL);

  /* Of two files it is unknown which one is right. */
  g_string_append_printf (text,
                          !get_text (json, "repeat") ? _ ("%s gives other results")
                          : rule                     ? _ ("Pass %s is wrong, rule %s")
                                                     : _ ("Pass %s is wrong"),
                          get_text (json, "pass"), rule);
  if (output && expected)
    g_string_append_printf (
        text, get_text (json, "repeat") ? _ (": %s%s%s is %s and should be %s") : _ (": %s%s%s is %s instead of %s"), output,
        place ? " " : "", place ? place : "", get_text (json, "actual"), expected);
  else if (message)
    g_string_append_printf (text, ": %s", message);
  if (note)
    g_string_append_printf (text, " · %s", note);
  return g_string_free (text, FALSE);
}

static const char *
why_nothing (JsonObject *json)
{
  return json_object_get_boolean_member_with_default (json, "cancelled", FALSE)
             ? _ ("The hunt was stopped. Nothing was found so far.")
         : json_object_get_boolean_member_with_default (json, "out_of_time", FALSE)
             ? _ ("Nothing was found in the time that a hunt may take.")
             : _ ("Nothing to hunt: no pass changes the results.");
}

static void
open_report (gpointer data)
{
  PhDocumentView *view = data;
  g_autofree char *uri = g_filename_to_uri (g_object_get_data (G_OBJECT (view), "report"), NULL, NULL);

  if (uri)
    gtk_show_uri (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (view))), uri, GDK_CURRENT_TIME);
}

static void
set_report (PhDocumentView *view, const Hunt *hunt, JsonObject *json)
{
  const char *name = get_text (json, "report");

  g_object_set_data_full (G_OBJECT (view), "report", name ? g_build_filename (hunt->folder, name, NULL) : NULL, g_free);
}

static void
show_banner (PhDocumentView *view, const char *text)
{
  const gboolean has_report = g_object_get_data (G_OBJECT (view), "report") != NULL;

  ph_document_view_set_banner (view, text, _ ("Open _Report"), has_report ? G_CALLBACK (open_report) : NULL, view);
}

static void
run_with_file (PhDocumentView *view, const char *what, const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL), *quoted = g_shell_quote (path);
  g_autofree char *line = g_strdup_printf ("%s %s", what, quoted);

  ph_document_view_run (view, line);
}

typedef struct
{
  PhDocumentView *view;
  char *text;
} Telling; /* both owned */

/* Opening removes the banner, so it is shown last. */
static void
on_shown (GObject *console, GAsyncResult *result, gpointer data)
{
  Telling *telling = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, &error);
  const GError *problem = reply ? reply->error : error;

  if (gtk_widget_get_root (GTK_WIDGET (telling->view)))
    {
      if (problem)
        ph_document_view_toast (telling->view, problem->message);
      show_banner (telling->view, telling->text);
    }
  g_object_unref (telling->view);
  g_free (telling->text);
  g_free (telling);
}

/* Runs the pass again if it can be repeated, else compares with its result. */
static void
show_after (PhDocumentView *view, const Hunt *hunt, JsonObject *json)
{
  const char *after = get_text (json, "reduced_after"), *repeat = get_text (json, "repeat");
  g_autofree char *path = after ? g_build_filename (hunt->folder, after, NULL) : NULL,
                  *quoted = path ? g_shell_quote (path) : NULL;
  g_autofree char *line = repeat ? g_strdup (repeat) : quoted ? g_strconcat ("compare ", quoted, NULL) : g_strdup ("goto end");
  const Telling telling = { g_object_ref (view), describe (json) };

  ph_graph_pane_say (ph_document_view_get_pane (view), "view form side");
  ph_console_run_async (ph_document_view_get_console (view), line, on_shown, g_memdup2 (&telling, sizeof telling));
}

static void
open_reduced (const Hunt *hunt, JsonObject *json)
{
  PhDocumentView *view = ph_window_add_tab (hunt->window);
  g_autofree char *path = g_build_filename (hunt->folder, get_text (json, "reduced"), NULL);
  g_autofree char *witness = g_build_filename (hunt->folder, get_text (json, "witness"), NULL);
  JsonArray *feeds = json_object_get_array_member (json, "feeds");

  /* The hunted step is the only one here. */
  ph_document_set_pipeline (ph_document_view_get_document (view), "none", NULL);
  ph_document_view_open (view, path);
  for (guint i = 0; feeds && i < json_array_get_length (feeds); i++)
    {
      JsonObject *feed = json_array_get_object_element (feeds, i);
      g_autofree char *input = g_shell_quote (get_text (feed, "input")), *line = g_strconcat ("feed ", input, NULL);

      run_with_file (view, line, witness, get_text (feed, "file"));
    }
  set_report (view, hunt, json);
  show_after (view, hunt, json);
}

static void
on_hunted (GObject *console, GAsyncResult *result, gpointer data)
{
  Hunt *hunt = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, &error);
  const GError *problem = reply ? reply->error : error;
  const gboolean found = reply && reply->ok && json_object_get_boolean_member_with_default (reply->json, "found", FALSE);

  if (!found)
    g_rmdir (hunt->folder);
  /* The tab or the window may have been closed meanwhile. */
  if (!hunt->window || hunt->window->closing || gtk_widget_get_root (GTK_WIDGET (hunt->view)) != GTK_ROOT (hunt->window))
    {
      hunt_free (hunt);
      return;
    }
  if (problem)
    ph_document_view_toast (hunt->view, problem->message);
  else if (!found)
    ph_document_view_toast (hunt->view, why_nothing (reply->json));
  else if (get_text (reply->json, "reduced"))
    open_reduced (hunt, reply->json);
  else
    {
      g_autofree char *text = describe (reply->json);
      set_report (hunt->view, hunt, reply->json);
      show_banner (hunt->view, text);
    }
  hunt_free (hunt);
}

void
ph_window_hunt (PhWindow *self)
{
  g_return_if_fail (PH_IS_WINDOW (self));

  g_autofree char *folder = make_folder (), *quoted = folder ? g_shell_quote (folder) : NULL;
  PhDocumentView *view = ph_window_get_view (self);

  if (!folder)
    {
      ph_document_view_toast (view, _ ("There is no room for what a hunt finds: the folder for caches cannot be written."));
      return;
    }
  Hunt *hunt = g_new0 (Hunt, 1);
  g_autofree char *line = g_strconcat ("hunt --out ", quoted, NULL);
  g_set_weak_pointer (&hunt->window, self);
  hunt->view = g_object_ref (view);
  hunt->folder = g_steal_pointer (&folder);
  ph_console_run_async (ph_document_view_get_console (view), line, on_hunted, hunt);
}
