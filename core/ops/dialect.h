/* dialect.h: sets of operators that models use, by their domain.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

G_BEGIN_DECLS

typedef struct _PhDialect PhDialect;
struct _PhDialect
{
  const char *domain;        /* "" for ONNX's own                                                                   */
  const char *title;         /* "ONNX", for people                                                                  */
  int         newest;        /* the version at which its operators are declared                                     */
  /* Names that operators had in older versions and what they became: drawn as of that family before an upgrade. Ends with NULL. */
  const struct { const char *name; const PhOp *now; } *former;
};

extern const PhDialect ph_dialect_onnx, ph_dialect_ml, ph_dialect_microsoft;

const PhDialect *const *ph_dialect_list (guint *n);
const PhDialect *ph_dialect_find (const char *domain);                                       /* (nullable) */
/* The operator that is or was called @name; its schema is that of the newest version. (nullable) */
const PhOp      *ph_dialect_find_op (const char *domain, const char *name);

G_END_DECLS
