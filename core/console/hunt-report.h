/* hunt-report.h: what a hunt found as one file that needs nothing else.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/hunt/hunt.h"

G_BEGIN_DECLS

/* An HTML page at @path: verdict, guilty pass, rule and its sentence, pictures of the reduced model before and after, where results differ, the model and the inputs
 * themselves, the command that repeats it and the text of an issue. For a worker. */
gboolean ph_hunt_report_write (const PhHunt *hunt, const char *path, GCancellable *cancellable, GError **error);

G_END_DECLS
