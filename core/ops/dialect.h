/* dialect.h: sets of operators that models use, by their domain. One of another system is a file core/ops/dialects/NAME.c with
 * `const PhDialect ph_dialect_NAME`, and one name in core/ops/meson.build.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/dialect-list.h"
#include "core/ops/op.h"

G_BEGIN_DECLS

/* An operator of another system: drawn, explained and asked about, but not computed here. */
typedef struct
{
  const char *name;
  PhFamily family;
  const char *short_name;    /* (nullable) in names of groups                                                       */
  const char *main_attrs[3]; /* shown first on its box; one called "text" is shown without its name                 */
  const char *doc;           /* one sentence                                                                        */
} PhForeignOp;

typedef struct _PhDialect PhDialect;
struct _PhDialect
{
  const char *domain; /* "" for ONNX's own                                                                   */
  const char *title;  /* "ONNX", for people                                                                  */
  /* Names that operators had in older versions and what they became: drawn as of that family before an upgrade. Ends with NULL. */
  const struct
  {
    const char *name;
    const PhOp *now;
  } * former;
  const PhForeignOp *foreign; /* (nullable) ends with a NULL name                                                 */
  /* (nullable) How the rules of convert-to-onnx call its operators: "" as StableHLO does, "tvm" with that before a colon. NULL: there
   * are none. */
  const char *rules;
  const char *instead; /* (nullable) of one without rules: what can be run on it                               */
  gboolean has_blocks; /* the scope of a node is its block, and it has its place there                         */
};

#define DIALECT(name) extern const PhDialect ph_dialect_##name;
PH_FOREIGN_DIALECTS
#undef DIALECT
extern const PhDialect ph_dialect_onnx, ph_dialect_ml, ph_dialect_microsoft, ph_dialect_nchwc;

const PhDialect *const *ph_dialect_list (guint *n);
const PhDialect *ph_dialect_find (const char *domain); /* (nullable) */
/* The operator that is or was called @name; its schema is that of the newest version. (nullable) */
const PhOp *ph_dialect_find_op (const char *domain, const char *name);

/* "HLO" or "TensorFlow", whose operators most of its nodes are; NULL: some are ONNX's, whose opset tells more, or there are none. */
const char *ph_dialect_name_foreign (PhModel *model);

/* (nullable) */
const PhForeignOp *ph_dialect_find_foreign (const char *domain, const char *name);

gboolean ph_dialect_has_blocks (const PhNode *node); /* that of @node has */

/* A box of HLO that computes nothing: a module of a file with several, or a computation that nothing calls. */
gboolean ph_dialect_is_box (const PhNode *node);

G_END_DECLS
