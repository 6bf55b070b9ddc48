/* fuzzy.h: how well a few typed letters fit a text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All letters of @typed must occur in @text in order, whatever their case and with spaces skipped. 0: they do not. More is
 * better: runs, starts of words, and short texts count. An empty @typed fits everything with 1. */
int ph_fuzzy_score (const char *typed, const char *text);

G_END_DECLS
