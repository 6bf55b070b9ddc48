/* terms.h: what HLO and StableHLO call the same things, for writing either.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* StableHLO's name of what @node, of either, does: "dot_general". NULL: it is of another dialect, or nothing that is written. */
const char *ph_terms_op (const PhNode *node);
/* An attribute by StableHLO's name. (nullable) */
const gint64 *ph_terms_ints (const PhNode *node, const char *name, gsize *n);
gint64 ph_terms_int (const PhNode *node, const char *name, gint64 fallback);
const char *ph_terms_string (const PhNode *node, const char *name, const char *fallback);
/* "f32", "i64" or "s64", "ui8" or "u8", "i1" or "pred"; NULL: there is none. */
const char *ph_terms_dtype (PhDType dtype, gboolean hlo);
/* One element, so that reading it gives the same bits. */
void ph_terms_number (GString *out, PhTensor *tensor, gsize index, gboolean hlo);
/* All of them, with brackets for each dimension: "[[1, 2], [3, 4]]", for HLO in braces. */
void ph_terms_elements (GString *out, PhTensor *tensor, gboolean hlo);
/* Which axis each letter of a convolution is: "b01f_01io->b01f", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]". (transfer full) (nullable) */
char *ph_terms_labels (const PhNode *node, gboolean hlo);

/* Names of values that the text may use, each once; those that fit stay. */
typedef struct
{
  GHashTable *by_value, *taken;
} PhTermNames;
void ph_term_names_init (PhTermNames *names);
void ph_term_names_clear (PhTermNames *names);
const char *ph_term_names_get (PhTermNames *names, const PhValue *value);
/* A name that is not taken, for something that is no value. */
const char *ph_term_names_claim (PhTermNames *names, const char *base);

/* FALSE: a node that has no words there, with its name and what to do. */
gboolean ph_terms_check (PhModel *model, GError **error);
/* The text at @path, in place of what was there. */
gboolean ph_terms_save (const char *path, const GString *text, GError **error);

G_END_DECLS
