/* scene-sample.c: models and histories for the tests of pictures.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/scene-sample.h"

void
scene_run_pipeline (PhModel *model, PhHistory *history, const char *name)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);

  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    if (ph_pass_find (pipeline->passes[i]) != NULL)
      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
}

char *
scene_example (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnxtxt", NULL);

  return g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", file, NULL);
}
