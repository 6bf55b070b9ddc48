/* text-parser.h: the parts of the parser of ONNX's text syntax. Each function takes what it is named after and leaves the lexer
 * on the token that follows; NULL or FALSE: the lexer holds the error. All that is made lives in the arena.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/onnx/text-lexer.h"

#define PH_TEXT_MAX_DEPTH 100

typedef struct
{
  PhLexer lexer;
  PhArena *arena;
  guint depth; /* of graphs and types around */
} PhTextParser;

/* A repeated field while it grows: the arena keeps what is left behind. */
typedef struct
{
  gpointer data;
  gsize n, room;
} PhTextList;

gpointer ph_text_list_add (PhTextParser *parser, PhTextList *list, gsize size);
#define LIST_ADD(list, Type, item) (*(Type *) ph_text_list_add (parser, (list), sizeof (Type)) = (item))

/* @what: for the error, "the name of a value". */
char *ph_text_name (PhTextParser *parser, const char *what);
char *ph_text_string (PhTextParser *parser);
gboolean ph_text_int (PhTextParser *parser, gint64 *value);
gboolean ph_text_number (PhTextParser *parser, double *f, gint64 *i); /* also true, false, inf and nan */
/* Whether the token begins a type, and is not a name that happens to be spelt like one. */
gboolean ph_text_at_type (PhTextParser *parser);
Onnx__TypeProto *ph_text_type (PhTextParser *parser);
Onnx__TensorProto *ph_text_tensor (PhTextParser *parser, const Onnx__TypeProto *type, char *name); /* from "{" on */
Onnx__AttributeProto *ph_text_attr (PhTextParser *parser);
gboolean ph_text_attrs (PhTextParser *parser, PhTextList *attrs); /* up to and with ">" */
Onnx__GraphProto *ph_text_graph (PhTextParser *parser);
