/* attr.h: types and attributes of MLIR, as they are written.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/type.h"

G_BEGIN_DECLS

#define PH_MLIR_MAX_DEPTH 200 /* of regions, types, attributes and locations in each other */

/* A type as it is written, and what Peephole can say of it. Of a quantised tensor @type is that of what is stored. */
typedef struct
{
  const PhType *type;
  const char *text;
  gboolean opaque;
} PhMlirType;

typedef enum
{
  PH_MLIR_INT,
  PH_MLIR_FLOAT,
  PH_MLIR_BOOL,
  PH_MLIR_STRING,
  PH_MLIR_ARRAY,
  PH_MLIR_DICT,
  PH_MLIR_TENSOR,
  PH_MLIR_TEXT
} PhMlirAttrKind;

typedef struct _PhMlirAttr PhMlirAttr;
struct _PhMlirAttr
{
  const char *name; /* in a dictionary: of the entry; interned                       */
  PhMlirAttrKind kind;
  gint64 i;
  double f;
  const char *text; /* STRING, TEXT; interned                                        */
  GPtrArray *items; /* ARRAY, DICT (element-type PhMlirAttr)                         */
  PhTensor *tensor; /* TENSOR (nullable): NULL: the values were left out of the file */
  PhMlirType type;  /* of a TENSOR                                                   */
};

G_END_DECLS
