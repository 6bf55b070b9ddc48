/* onnx-scope.h: the names of a graph while it is imported, and the order of its nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"

G_BEGIN_DECLS

/* What a name of a scope stands for before it has a value: the number of the node that makes it. An odd number, so that
 * it cannot be mistaken for a value. */
#define PENDING(i)      GSIZE_TO_POINTER (((gsize) (i) << 1) | 1)
#define IS_PENDING(p)   ((GPOINTER_TO_SIZE (p) & 1) != 0)
#define PENDING_NODE(p) (GPOINTER_TO_SIZE (p) >> 1)
#define NO_NODE         (G_MAXSIZE >> 2)              /* an input or initializer that is to come */

struct _PhScope
{
  PhScope      *outer;
  PhGraph      *graph;
  GHashTable   *names;           /* interned name -> PhValue, or PENDING                          */
  GHashTable   *infos;           /* (nullable) interned name -> ValueInfoProto                    */
  gboolean      closed;          /* a function's body: sees nothing of what is outside            */
  const Onnx__GraphProto *proto;
};

/* "node 12 'conv1' (Conv)", for messages. */
char    *ph_import_describe (const Onnx__GraphProto *graph, gsize index);
gboolean ph_import_is_body  (const Onnx__AttributeProto *attr);
/* Whether all that node @index uses of this scope is there already. */
gboolean ph_import_is_ready (PhScope *scope, gsize index);
/* The order in which the nodes from @first on can be made, as near to the file's as can be. NULL: a cycle. */
gsize   *ph_import_sort     (PhImport *import, PhScope *scope, gsize first, GError **error);

G_END_DECLS
