/* infer.h: infers the types of a model that was just read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* On an upgraded clone where the model is older than the operators that are declared. What contradicts goes to @problems
 * (element-type char*) (nullable). */
void ph_io_infer (PhModel *model, GPtrArray *problems);

G_END_DECLS
