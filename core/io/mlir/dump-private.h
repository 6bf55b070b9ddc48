/* dump-private.h: what is known while a dump of MLIR is read; private to dump*.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/mlir/dump.h"
#include "core/io/mlir/lines.h"
#include "core/io/mlir/mlir.h"

G_BEGIN_DECLS

/* Stands in a module for a function that was read before. */
#define PH_MLIR_SAME "peephole.as_before"

/* The functions of a module that were read, by their text. What else that text means is the same as long as @aliases is. */
typedef struct
{
  GHashTable *ops; /* text -> PhMlirOp          */
  char *aliases;   /* (nullable) all of them   */
} PhMlirParts;

/* What stands between two headers. */
typedef struct
{
  const char *text, *end;
  guint line;
} PhMlirSection;

typedef struct
{
  PhSource *source;
  GPtrArray *modules; /* (element-type PhMlirModule) all that were read: the state is made of their parts */
  GPtrArray *ops;     /* (element-type PhMlirOp) the state: what stands in the module now                 */
  const char *entry;  /* (nullable) the function that is the main graph, as long as it is there           */
  char *pending;      /* (nullable) the pass that was about to run                                        */
  gboolean begun;
  GHashTable *owner;  /* PhMlirOp of @ops or of modules in them -> the PhMlirModule of @modules that has it */
  GHashTable *told;   /* (element-type PhMlirOp) functions of the model that was told last                */
  char *shape;        /* (nullable) their names, and which is the main graph                              */
  PhMlirParts parts;  /* of the module that was printed last                                              */
  GHashTable *texts;  /* first line of what was dumped -> GBytes of all of it, while that is how it is */
  PhMlirLines *lines; /* (nullable) of the model that was told last, when its large functions are followed */
  GArray *unread;     /* (element-type PhMlirSection) told by what changed in them: @ops is as before them */
  PhRecordFunc each;
  gpointer data;
} PhMlirDump;

/* What begins first on a line, behind aliases and comments, is the whole module. */
gboolean ph_mlir_dump_is_whole (const char *text, const char *end);
/* Of @text, a module: what is not a function that was read before, and in @same (element-type PhMlirOp) those that were, each as one line in its place.
 * NULL: nothing was. (transfer full) */
GString *ph_mlir_dump_without_same (PhMlirDump *dump, const char *text, const char *end, GPtrArray *same);
/* Keeps the functions of the module that @text is, of which the state is made now; of what was kept before, what is still in the state. */
void ph_mlir_dump_learn_parts (PhMlirDump *dump, const char *text, const char *end);
/* The model after @section of what changed in it alone. NULL: it has to be read. (transfer full) @parts: (out) */
PhModel *ph_mlir_dump_changes (PhMlirDump *dump, const PhMlirSection *section, GPtrArray **parts);
/* @model was read of @section: what can be followed from here on. (transfer full) (nullable) */
GPtrArray *ph_mlir_dump_follow (PhMlirDump *dump, const PhMlirSection *section, PhModel *model);

G_END_DECLS
