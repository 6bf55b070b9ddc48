/* reply-table.h: tables of a reply, and the JSON that they are written from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/reply-text.h"

G_BEGIN_DECLS

/* A table whose cells are members of the objects of @rows, so that the text says nothing that JSON does not. Where the member
 * @dim of a row is 0 the row is dim; the first column's counts. @digits: of a number that is not whole; 0: six. @minor: left out
 * first where the terminal is narrow. @sentence: not cut where the terminal is narrow, but broken between words, once for each sentence. */
typedef struct
{
  const char *key, *title, *prefix;
  gboolean right;
  const char *style, *dim;
  int digits;
  gboolean minor, sentence;
} PhColumn;
void ph_reply_table (PhReply *reply, JsonArray *rows, const PhColumn *columns, guint n);
char *ph_json_cell (JsonNode *node);                                         /* one value as people read it */
char *ph_json_text (JsonNode *node);                                         /* as JSON, on one line */
JsonArray *ph_reply_array (PhReply *reply, const char *member);              /* (transfer none) a new, empty one */
JsonObject *ph_json_add_object (JsonArray *array);                           /* (transfer none) */
void ph_json_set (JsonObject *object, const char *member, const char *text); /* NULL: null */
double ph_float_value (float value);                                         /* the double that prints as short as the float */

G_END_DECLS
