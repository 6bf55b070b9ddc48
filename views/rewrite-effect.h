/* rewrite-effect.h: what one rewrite did to which node, in words.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

/* A line a node, "~ n153 Gather", and one for each field of it, "  input 1: a → b", about @most; @step is an index, @number counts from 1. "": too much to say
 * at once, or nothing that shows. (transfer full) */
char *ph_rewrite_effect (PhDocument *document, guint step, guint number, guint most);

G_END_DECLS
