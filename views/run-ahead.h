/* run-ahead.h: runs the rest of the pipeline in the background, so that the picture knows every node there will be.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_RUN_AHEAD (ph_run_ahead_get_type ())
/* The document stays where it is; its history grows at the end. */
G_DECLARE_FINAL_TYPE (PhRunAhead, ph_run_ahead, PH, RUN_AHEAD, GObject)

PhRunAhead *ph_run_ahead_new (PhDocument *document);
gboolean ph_run_ahead_is_running (PhRunAhead *ahead);
void ph_run_ahead_stop (PhRunAhead *ahead); /* for good: its owner goes */

G_END_DECLS
