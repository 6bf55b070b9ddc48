/* short-type.h: writes types whose dimensions have long names in a narrow column: "float[A,16,floor((B+1)/2)]".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* The long names of dimensions of the graph's inputs, in their order: the first is A. (transfer full) (element-type char*) */
GPtrArray *ph_long_dimensions (PhGraph *graph);
/* A, B, ..., Z, A1, ... (transfer full) */
char *ph_dimension_letter (guint index);
/* One dimension: "batch", "A", "⌈B/16⌉". (transfer full) */
char *ph_dimension_to_short (const char *dimension, GPtrArray *dimensions);
/* @type (nullable) in the window, where "float[]" would be read as a scalar: of a tensor of unknown rank "float ?", as its box says. (transfer full) */
char *ph_type_to_shown (const PhType *type);
/* @type as text, its long names by their letters, others cut short. (transfer full) */
char *ph_type_to_short (const char *type, GPtrArray *dimensions);

G_END_DECLS
