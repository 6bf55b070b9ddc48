/* jaxpr.h: JAX's own programs as it prints them, and the model made of one. Private to the reader of jaxprs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/io/import.h"

G_BEGIN_DECLS

#define PH_JAXPR_MAX_DEPTH 200

/* The state of the parser, which owns all that it makes. */
typedef struct
{
  PhSource *source;
  const char *begin, *end, *p; /* ends with a NUL                                        */
  PhTextLine line;
  guint depth, n_literals;
  GHashTable *programs; /* name -> PhImportGraph: "let f = { lambda ... } in"     */
  GPtrArray *owned, *arrays, *attrs, *tensors;
  GError *error; /* (nullable) the first one sticks                        */
} PhJaxpr;

gboolean ph_jaxpr_fail (PhJaxpr *parser, const char *at, const char *format, ...) G_GNUC_PRINTF (3, 4);
gpointer ph_jaxpr_alloc (PhJaxpr *parser, gsize size);
GArray *ph_jaxpr_array (PhJaxpr *parser, gsize size);
/* Past blanks; what stands there, 0 at the end. */
char ph_jaxpr_peek (PhJaxpr *parser);
gboolean ph_jaxpr_take (PhJaxpr *parser, const char *token);
/* A word of letters, digits, "_" and "'" (interned); NULL: there is none. */
const char *ph_jaxpr_word (PhJaxpr *parser);
/* Past a value up to a blank or a closing bracket. FALSE: brackets do not match. */
gboolean ph_jaxpr_skip (PhJaxpr *parser);
/* "f32[8,n]"; NULL where it says nothing that Peephole knows. FALSE: failed. */
gboolean ph_jaxpr_type (PhJaxpr *parser, const PhType **type);
/* "{ lambda ... }"; "{" is next. */
PhImportGraph *ph_jaxpr_program (PhJaxpr *parser);
/* "[name=value ...]" into attributes and bodies. */
gboolean ph_jaxpr_params (PhJaxpr *parser, GPtrArray *attrs, GPtrArray *bodies);

PhModel *ph_jaxpr_read (PhSource *source, const char *text, gsize size, GError **error);

G_END_DECLS
