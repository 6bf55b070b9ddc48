/* dot.h: a scene as a DOT graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/scene-options.h"

G_BEGIN_DECLS

/* What is there at @time, with what changed since @since in colour. (transfer full) */
char *ph_dot_print (PhScene *scene, int time, int since, GHashTable *values);

G_END_DECLS
