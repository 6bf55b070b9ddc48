/* scene-helper.c: the layout helper is killed, stopped, slow or mad in the middle of each kind of layout: there is a picture all the same,
 * with every node in it, and it is there soon.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/io/io.h"
#include "core/scene/scene-read.h"
#include "core/scene/scene.h"
#include "tests/unit/scene-sample.h"

static char *folder;

/* A program in the helper's place; %s is the real one. */
static void
use_helper (const char *script)
{
  g_autofree char *real = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "layout-helper", "peephole-layout", NULL);
  g_autofree char *path = g_build_filename (folder, "helper", NULL), *quoted = g_shell_quote (real);
  g_autoptr (GString) text = g_string_new ("#!/bin/sh\n");

  g_string_append (text, script);
  g_string_append_c (text, '\n');
  g_string_replace (text, "%s", quoted, 0);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_chmod (path, 0755);
  g_setenv ("PEEPHOLE_LAYOUT", path, TRUE);
}

/* clang-format off */
static const char *const faults[] = {
  "kill -KILL $$", "(sleep 0.02; kill -KILL $$) & exec %s", "kill -STOP $$", "(sleep 0.02; kill -STOP $$) & exec %s",
  "sleep 0.1; exec %s", "exec sleep 100", "head -c 3000 /dev/urandom", "%s | head -c 300"
};
/* clang-format on */

typedef struct
{
  const char *name, *example;
  PhSceneOptions options;
  const char *pipeline; /* (nullable) the union of its history */
  gboolean gradient;    /* as the file has it                  */
  gboolean appended;    /* ... as steps that came later        */
} Kind;

static const Kind kinds[] = {
  { "position", "attention", { .engine = PH_LAYOUT_BEST }, NULL, FALSE, FALSE },
  { "history", "tour", { .engine = PH_LAYOUT_BEST }, "O2", FALSE, FALSE },
  { "gradient", "attention", { .engine = PH_LAYOUT_BEST }, NULL, TRUE, FALSE },
  { "groups", "attention", { .engine = PH_LAYOUT_BEST, .by_scope = TRUE, .open = PH_OPEN_ALL }, NULL, FALSE, FALSE },
  { "bodies", "loop-branch", { .engine = PH_LAYOUT_BEST, .open = PH_OPEN_ALL }, NULL, FALSE, FALSE },
  { "across", "inception", { .engine = PH_LAYOUT_BEST, .across = TRUE }, NULL, FALSE, FALSE },
  { "routes", "inception", { .engine = PH_LAYOUT_LAYERED }, NULL, TRUE, FALSE },
  { "appended", "inception", { .engine = PH_LAYOUT_BEST }, "O1", TRUE, TRUE },
  { "dot", "tour", { .engine = PH_LAYOUT_DOT }, NULL, FALSE, FALSE },
  { "neato", "inception", { .engine = PH_LAYOUT_NEATO }, NULL, FALSE, FALSE },
};

static void
differentiate (PhModel *model, PhHistory *history)
{
  const char *arguments[2] = { ((PhValue *) model->graph->outputs->pdata[0])->name, NULL };
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.arguments = arguments;
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
  g_assert_true (ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, NULL));
}

static void
check (PhScene *scene, const PhModel *model)
{
  for (guint i = 0; i < ph_scene_n_boxes (scene); i++)
    {
      const PhSceneBox *x = ph_scene_box (scene, i);

      if (!x->shown)
        continue;
      g_assert_cmpfloat (x->rect.x, >=, 0);
      g_assert_cmpfloat (x->rect.x + x->rect.width, <=, ph_scene_width (scene) + 1);
      g_assert_cmpfloat (x->rect.y + x->rect.height, <=, ph_scene_height (scene) + 1);
      for (guint k = i + 1; k < ph_scene_n_boxes (scene); k++)
        {
          const PhSceneBox *y = ph_scene_box (scene, k);

          if (y->shown && x->parent == y->parent)
            g_assert_true (x->rect.x + x->rect.width <= y->rect.x + 3 || y->rect.x + y->rect.width <= x->rect.x + 3
                           || x->rect.y + x->rect.height <= y->rect.y + 3 || y->rect.y + y->rect.height <= x->rect.y + 3);
        }
    }
  PH_FOREACH_NODE (node, model->graph)
    g_assert_cmpint (ph_scene_find (scene, node->id, NULL), >=, 0);
}

static void
test_kind (gconstpointer data)
{
  const Kind *kind = data;

  for (guint f = 0; f < G_N_ELEMENTS (faults); f++)
    {
      g_autofree char *path = scene_example (kind->example);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhScene) before = NULL, scene = NULL;
      PhSceneOptions options = kind->options;
      const gint64 start = g_get_monotonic_time ();

      g_assert_no_error (error);
      use_helper (faults[f]);
      options.seconds = strstr (faults[f], "sleep 0.1") != NULL ? 60 : 0.2; /* who is only slow is waited for */
      if (kind->pipeline != NULL)
        scene_run_pipeline (model, history, kind->pipeline);
      if (kind->appended)
        {
          before = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
          g_assert_no_error (error);
          options.previous = before;
        }
      if (kind->gradient)
        differentiate (model, history);
      scene = ph_scene_new (ph_model_clone (model), kind->pipeline != NULL ? ph_history_snapshot (history) : NULL, &options, NULL,
                            &error);
      g_assert_no_error (error);
      g_assert_nonnull (scene);
      check (scene, model);
      g_assert_cmpint (g_get_monotonic_time () - start, <, 60 * G_USEC_PER_SEC);
    }
}

int
main (int argc, char **argv)
{
  int status;
  g_autofree char *helper = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("peephole-helper-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *name = g_strconcat ("/scene-helper/", kinds[i].name, NULL);

      g_test_add_data_func (name, &kinds[i], test_kind);
    }
  status = g_test_run ();
  helper = g_build_filename (folder, "helper", NULL);
  g_remove (helper);
  g_rmdir (folder);
  g_free (folder);
  return status;
}
