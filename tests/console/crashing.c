/* crashing.c: passes that do what no pass should.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "passes/pass.h"

static gboolean
crash (PhPassRun *run, GError **error)
{
  abort ();
}

static gboolean
refuse (PhPassRun *run, GError **error)
{
  g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "not today");
  return FALSE;
}

static const PhPass crashing = { .name = "crashing", .group = "simplify", .summary = "Crashes", .run = crash };
static const PhPass refusing = { .name = "refusing", .group = "simplify", .summary = "Refuses", .run = refuse };

PH_PLUGIN (&crashing, &refusing)
