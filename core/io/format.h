/* format.h: file formats. A format is one struct in a file of core/io/formats and one name in core/io/meson.build; opening and
 * saving, the file chooser, the MIME file, `formats`, the manual's table and the fuzzers follow from the list.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/io/source.h"
#include "core/io/statements.h"
#include "core/ops/dialect.h"

G_BEGIN_DECLS

/* What a compiler printed: first with @pass NULL the start, then after each pass. @model: (transfer full) (nullable): NULL: as before.
 * @parts: (transfer full) (nullable) (element-type PhTextPart) what the text told of its nodes. FALSE with @error ends the reading. */
typedef gboolean (*PhRecordFunc) (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error);

typedef struct
{
  const char *name;            /* "onnx-text": of the file core/io/formats/NAME.c, and of the fuzz target              */
  const char *title;           /* N_("ONNX model"), of one that is only recognised "a PNG picture"                     */
  const char *const *patterns; /* (nullable) {"*.onnx", NULL}; the first is what the file chooser suggests             */
  const char *mime;            /* (nullable) "application/x-onnx"                                                      */
  gboolean text;               /* it has no control characters                                                         */
  const char *mime_parent;     /* (nullable) "text/plain"                                                              */
  /* How sure it is, 0 (not at all) to 100, by the first PH_FORMAT_HEAD bytes and the file's name. The surest format reads. */
  guint (*probe) (const guint8 *head, gsize size, const char *name);
  /* Makes the model as it stands in the file, with core/io/import.h. It neither infers types nor upgrades. NULL: the format is
   * only recognised. */
  PhModel *(*read) (PhSource *source, GError **error);
  /* (nullable) The file is a dump of what a compiler made after each of its passes; then @read makes the first of them. */
  gboolean (*record) (PhSource *source, PhRecordFunc each, gpointer data, GError **error);
  gboolean (*write) (PhModel *model, const char *path, GCancellable *cancellable, GError **error); /* (nullable) */
  /* (nullable) The file is a snapshot: of the next one in its folder only what differs need be read. */
  const PhStatementSyntax *statements;
  gboolean parts;           /* a file may hold several: "FILE/PART" is one of them                                      */
  const PhDialect *dialect; /* (nullable) whose operators it holds                                                  */
  const char *instead;      /* (nullable) of one that is only recognised: what to do                                */
  const char *magic;        /* of one that is only recognised, without probe: how the file begins                   */
} PhFormat;

#define PH_FORMAT_HEAD 2048

const PhFormat *const *ph_format_list (guint *n);
const PhFormat *ph_format_find (const char *name); /* (nullable) */
/* The surest one; NULL when there is none. @name: (nullable) of the file. */
const PhFormat *ph_format_recognise (GBytes *head, const char *name);
/* The one that writes files of @path's extension. (nullable) */
const PhFormat *ph_format_for_saving (const char *path);
gboolean ph_format_has_pattern (const PhFormat *format, const char *path);
/* Types are inferred. @path: for messages, and for what lies beside it. */
PhModel *ph_format_read_bytes (const PhFormat *format, GBytes *bytes, const char *path, GPtrArray *problems, GError **error);
/* "*.onnx", ... of all that can be opened, or saved. (transfer container) NULL-ended */
const char **ph_format_patterns (gboolean saving);
/* All that @path (one file) holds, in order: of a format without record one model, which is the start. Arguments as of ph_io_open(). */
gboolean ph_format_record (const char *path, PhRecordFunc each, gpointer data, GPtrArray *problems, GCancellable *cancellable,
                           GError **error);
gboolean ph_format_record_bytes (const PhFormat *format, GBytes *bytes, const char *path, PhRecordFunc each, gpointer data,
                                 GPtrArray *problems, GCancellable *cancellable, GError **error);
/* The same of @text, that was put together of the files of folder @path. */
gboolean ph_format_record_text (const PhFormat *format, const char *text, const char *path, PhRecordFunc each, gpointer data,
                                GPtrArray *problems, GCancellable *cancellable, GError **error);
/* Like ph_io_open(). @before: (nullable) (inout) the statements of the snapshot before, of the same format, then those of this one; @parts: (out)
 * (nullable) (element-type PhTextPart): both for formats that have them. */
PhModel *ph_io_open_next (const char *path, PhStatements **before, GPtrArray **parts, GPtrArray *problems,
                          GCancellable *cancellable, GError **error);
/* For the read of a format with a record. */
PhModel *ph_format_read_first (PhSource *source,
                               gboolean (*record) (PhSource *source, PhRecordFunc each, gpointer data, GError **error),
                               GError **error);
/* A shared-mime-info file of all that can be opened. */
char *ph_format_mime_xml (void);
/* @template with the types for @MIME_TYPES@; a line with @MIME_TYPE@ is repeated for each. */
char *ph_format_fill (const char *template);
/* The manual's table, in Markdown. */
char *ph_format_manual (void);

G_END_DECLS
