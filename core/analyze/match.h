/* match.h: the nodes of one model recognised in another, for become.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/become.h"

G_BEGIN_DECLS

typedef struct
{
  PhModel       *model, *target;
  GHashTable    *nodes;            /* of the target -> of the model        */
  GHashTable    *taken;            /* nodes of the model                   */
  GHashTable    *values;           /* of the target -> of the model        */
  GPtrArray     *fresh;            /* values of the target that were added */
  PhMatchCounts  counts;
  GError       **error;
} PhBecome;

/* Recognises nodes of @target in @graph: their values, and those of their outputs, then stand for each other. */
void ph_match_graph (PhBecome *become, PhGraph *graph, PhGraph *target);

G_END_DECLS
