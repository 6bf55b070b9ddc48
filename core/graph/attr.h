/* attr.h: an attribute of a node. Immutable and reference-counted. Subgraphs are not attributes here: see PhNode.graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/type.h"

G_BEGIN_DECLS

/* Numbered as ONNX's AttributeProto.AttributeType where it has one. */
/* clang-format off */
typedef enum
{
  PH_ATTR_FLOAT = 1, PH_ATTR_INT = 2, PH_ATTR_STRING = 3, PH_ATTR_TENSOR = 4, PH_ATTR_GRAPH = 5,
  PH_ATTR_FLOATS = 6, PH_ATTR_INTS = 7, PH_ATTR_STRINGS = 8, PH_ATTR_TENSORS = 9, PH_ATTR_GRAPHS = 10,
  PH_ATTR_OPAQUE = 100,      /* type protos, sparse tensors: kept as bytes                     */
  PH_ATTR_REF = 101,         /* in a function: the attribute of the call                       */
} PhAttrKind;
/* clang-format on */

typedef struct _PhAttr
{
  gatomicrefcount ref_count;
  const char *name; /* interned                                             */
  PhAttrKind kind;
  gsize n;         /* of items in the array kinds                          */
  gint64 i;        /* REF: the kind that it will have, 0: not said         */
  const char *ref; /* (nullable) interned; REF: the name that the call gives it */
  float f;
  GBytes *s;        /* (nullable) STRING: any bytes; OPAQUE: AttributeProto */
  PhTensor *tensor; /* (nullable)                                           */
  gint64 *ints;
  float *floats;
  GBytes **strings;
  PhTensor **tensors;
} PhAttr;

PhAttr *ph_attr_new_int (const char *name, gint64 value);
PhAttr *ph_attr_new_float (const char *name, float value);
PhAttr *ph_attr_new_string (const char *name, const char *value);
PhAttr *ph_attr_new_bytes (const char *name, PhAttrKind kind, GBytes *bytes); /* STRING or OPAQUE */
PhAttr *ph_attr_new_ints (const char *name, const gint64 *values, gsize n);
PhAttr *ph_attr_new_floats (const char *name, const float *values, gsize n);
PhAttr *ph_attr_new_strings (const char *name, GBytes *const *values, gsize n);
PhAttr *ph_attr_new_tensor (const char *name, PhTensor *tensor);
PhAttr *ph_attr_new_tensors (const char *name, PhTensor *const *tensors, gsize n);
PhAttr *ph_attr_new_ref (const char *name, const char *ref, PhAttrKind kind);
PhAttr *ph_attr_named (PhAttr *attr, const char *name); /* the same under another name (transfer full) */
PhAttr *ph_attr_ref (PhAttr *attr);
void ph_attr_unref (PhAttr *attr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhAttr, ph_attr_unref)

/* Item @i of STRINGS as text. (transfer full) */
char *ph_attr_dup_string (const PhAttr *attr, gsize i);
gboolean ph_attr_equal (const PhAttr *a, const PhAttr *b); /* floats by bits */
guint ph_attr_hash (const PhAttr *attr);
char *ph_attr_value_to_string (const PhAttr *attr); /* as in ONNX text, long ones cut: for people */

G_END_DECLS
