/* mlir.h: MLIR text as a tree of operations, and that tree as a model. Private to the readers of MLIR text and of its dumps.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/io/mlir/attr.h"
#include "core/io/source.h"

G_BEGIN_DECLS

/* Where an operation came from: loc(...). */
typedef struct
{
  const char *name;
  const PhWhere *where;
} PhMlirLoc;

typedef struct
{
  const char *name;
  PhMlirType type;
  guint line, column;
} PhMlirValue;

typedef struct _PhMlirOp PhMlirOp;
typedef struct
{
  const char *label;
  GArray *arguments;
  GPtrArray *ops;
} PhMlirBlock; /* of PhMlirValue, of PhMlirOp     */
typedef struct
{
  const char *name;
  GPtrArray *blocks;
} PhMlirRegion; /* @name: (nullable); PhMlirBlock  */

struct _PhMlirOp
{
  const char *name;      /* "stablehlo.add"; interned                                     */
  GArray *results;       /* (element-type PhMlirValue)                                    */
  GArray *operands;      /* (element-type PhMlirValue)                                    */
  GPtrArray *attrs;      /* (element-type PhMlirAttr)                                     */
  GPtrArray *regions;    /* (element-type PhMlirRegion)                                   */
  GPtrArray *successors; /* (element-type char) interned labels                           */
  GArray *result_types;  /* (element-type PhMlirType): of a function, those that it returns */
  const char *symbol;    /* (nullable) interned, without "@"                              */
  PhMlirLoc loc;
  guint line, column;
  gboolean known; /* generic, or of a form that is understood: its operands are all there */
};

/* One module, or what stands between two lines "// -----". Owns the whole tree. */
typedef struct _PhMlirModule PhMlirModule;
struct _PhMlirModule
{
  PhSource *source;
  PhMlirRegion *top;
  GPtrArray *owned, *arrays, *ptr_arrays, *tensors;
};

/* @text, which begins at @line of the source. */
PhMlirModule *ph_mlir_parse (PhSource *source, const char *text, gsize size, guint line, GError **error);
/* The same where tensors stand in @blobs: name -> GBytes, of dense_resource<name>. */
PhMlirModule *ph_mlir_parse_with (PhSource *source, const char *text, gsize size, guint line, GHashTable *blobs, GError **error);
/* The text of a file in MLIR's binary form, and in @blobs (name -> GBytes) its large tensors. (transfer full) NULL: damaged */
char *ph_mlir_bytecode_text (PhSource *source, GBytes *bytes, GHashTable *blobs, gsize *size, GError **error);
void ph_mlir_free (PhMlirModule *module);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhMlirModule, ph_mlir_free)
/* What stands between two lines "// -----". */
typedef struct
{
  PhMlirModule *module; /* (nullable) owned; NULL: it is broken                                        */
  GError *error;        /* (nullable) owned: why                                                       */
  GPtrArray *symbols;   /* (nullable) owned (element-type interned utf8) what it would define; one NULL: none was seen */
  guint line;           /* where it begins                                                             */
} PhMlirPart;

/* All parts of a file. (transfer full) (element-type PhMlirPart) NULL: cancelled */
GPtrArray *ph_mlir_parse_all (PhSource *source, const char *text, gsize size, GError **error);
PhMlirAttr *ph_mlir_attr (const PhMlirOp *op, const char *name); /* (nullable) */

/* A module that holds functions or modules. One with operations of its own, as CIRCT's hw.module, is a function. */
gboolean ph_mlir_is_container (const PhMlirOp *op);
gboolean ph_mlir_is_function (const PhMlirOp *op);
/* The functions of @modules, in order, with a body. (transfer container) (element-type PhMlirOp) */
GPtrArray *ph_mlir_functions (GPtrArray *modules);
/* Which of them is the main graph unless it is said: @main, or the first that nobody calls. (nullable) */
const PhMlirOp *ph_mlir_entry (GPtrArray *modules);
/* The model: @entry (nullable) is its main graph, the others are its functions. @inputs_of: (nullable) a function without arguments whose calls become inputs that default to what it returns. */
PhModel *ph_mlir_build (PhSource *source, GPtrArray *modules, const PhMlirOp *entry, const char *inputs_of, GError **error);
/* The same where the functions in @same (element-type PhMlirOp) are as before. */
PhModel *ph_mlir_build_part (PhSource *source, GPtrArray *modules, const PhMlirOp *entry, GHashTable *same, GError **error);
/* StableHLO, of its operators or HLO's alone. */
gboolean ph_mlir_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error);

G_END_DECLS
