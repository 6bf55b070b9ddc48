/* feed-popover.h: values for an input, typed where it stands in the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

/* Shows it at an input of @canvas that is activated, by two clicks or by Enter. @canvas has a parent with a layout manager. It is gone
 * when it is closed, or when its line did something. */
void ph_feed_popover_attach (PhGraphCanvas *canvas, PhConsole *console);

/* What can be typed for an input of @type, by example. */
const char *ph_feed_example (const PhType *type);
/* A value as it would be typed, if it is short. (transfer full) (nullable) */
char *ph_feed_text (PhTensor *tensor);

G_END_DECLS
