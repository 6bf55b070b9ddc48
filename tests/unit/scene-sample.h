/* scene-sample.h: models and histories for the tests of pictures.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

char *scene_example (const char *name); /* (transfer full) the path of it */
/* Each pass of pipeline @name that is there. */
void scene_run_pipeline (PhModel *model, PhHistory *history, const char *name);

G_END_DECLS
