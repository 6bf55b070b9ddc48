/* bytecode.h: MLIR's binary form, written out as text in the generic form. Private to core/io/mlir.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The format is described in MLIR's documentation ("MLIR Bytecode Format"); versions 0 to 6 are read. Attributes and types are kept as the
 * text that stands for them, each made once. */
#pragma once

#include "core/io/mlir/mlir.h"
#include "core/io/wire.h"

G_BEGIN_DECLS

typedef struct _PhMlirCode PhMlirCode;

/* A part of the file. What is not there reads as 0, and the code has an error from then on. */
typedef struct
{
  PhMlirCode *code;
  const guint8 *p, *end;
} PhMlirBytes;

/* An attribute or a type. */
typedef struct
{
  PhSpan span;
  guint dialect;
  gboolean custom, busy; /* @custom: in the binary form of its dialect; else as text */
  char *text;            /* (nullable) owned                                         */
} PhMlirEntry;

typedef struct
{
  char *name;                   /* owned: "vhlo.add_v1"                                       */
  gboolean native;              /* its properties are stored without their names, in alphabetical order */
  gboolean is_newer, is_unread; /* it is of a version, or in a form, that is not known: this was said */
} PhMlirOpName;

struct _PhMlirCode
{
  PhSource *source;
  GBytes *bytes; /* all of it */
  PhSpan file;
  guint64 version;
  GArray *strings;       /* (element-type PhSpan) without the NUL that ends each   */
  GPtrArray *dialects;   /* (element-type utf8) owned                              */
  GArray *names;         /* (element-type PhMlirOpName)                            */
  GArray *attrs, *types; /* (element-type PhMlirEntry)                             */
  GArray *properties;    /* (element-type PhSpan)                                  */
  GHashTable *blobs;     /* name -> GBytes: the tensors that are not written out, "bytes3" of dense_resource<bytes3> */
  GString *locations;    /* their aliases, a line each                             */
  gsize room;            /* how much text may still be made                        */
  guint n_resources, depth;
  gboolean unread; /* something is stored in a form that is not known        */
  GError *error;   /* (nullable) owned; the first one stays                  */
};

/* The first failure is kept. Returns FALSE. */
gboolean ph_mlir_code_fail (PhMlirCode *code, const char *format, ...) G_GNUC_PRINTF (2, 3);
PhMlirBytes ph_mlir_bytes (PhMlirCode *code, PhSpan span);
guint64 ph_mlir_take_number (PhMlirBytes *bytes);
gint64 ph_mlir_take_signed (PhMlirBytes *bytes);
guint8 ph_mlir_take_byte (PhMlirBytes *bytes);
guint ph_mlir_take_count (PhMlirBytes *bytes); /* of things that have a byte each at least */
PhSpan ph_mlir_take_span (PhMlirBytes *bytes, guint64 size);
PhSpan ph_mlir_take_string (PhMlirBytes *bytes);
/* The section that begins here; @id: what it holds. */
PhSpan ph_mlir_take_section (PhMlirBytes *bytes, guint *id);
/* An integer of @width bits, or a number's bits; of more than 64 the lowest. */
guint64 ph_mlir_take_bits (PhMlirBytes *bytes, guint width);
/* The text of the one that is named here. (transfer none) */
const char *ph_mlir_take_attr (PhMlirBytes *bytes);
const char *ph_mlir_take_type (PhMlirBytes *bytes);
const char *ph_mlir_attr_text (PhMlirCode *code, guint64 index);
const char *ph_mlir_type_text (PhMlirCode *code, guint64 index);

/* FALSE: there is no room for @size more bytes of text. */
gboolean ph_mlir_code_spend (PhMlirCode *code, gsize size);

G_END_DECLS
