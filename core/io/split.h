/* split.h: the parts of a text that lines "// -----" split, as LLVM's tests have them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *from, *to;
  guint line; /* of @from, from 1                                                                              */
  guint last; /* the part that closes the brackets which this one leaves open; itself: it is closed, or no other does */
} PhSplit;

/* @header: (nullable) how a line begins before which all brackets are closed. (transfer full) (element-type PhSplit) at least one */
GArray *ph_text_split (const char *text, gsize size, const char *header);

G_END_DECLS
