/* adopt.h: replaces the model that a pass runs on by another one, edit by edit. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "passes/run.h"

G_BEGIN_DECLS

/* Each connected part of the difference is a rewrite by @rule, whose sentence is @why with what it put in the place of what; the
 * last one is the rest. @rewrites: (nullable) rows of `rewrites --nodes`, by which parts are known that have a rule of their own. */
gboolean ph_pass_adopt (PhPassRun *run, PhModel *wanted, const char *rule, const char *why, JsonArray *rewrites, GError **error);

G_END_DECLS
