/* import.h: what all readers share: a file's names become values. Forward references, duplicate names, scopes of bodies, the
 * order of the nodes and cycles are settled here once; after it only ids count. It knows no format.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"
#include "core/io/source.h"

G_BEGIN_DECLS

typedef struct _PhImportGraph PhImportGraph;
/* Names are those of ph_importer_name(). @part: the place in the source, for messages (nullable). */
typedef struct
{
  const char *name;
  const PhType *type;
  PhTensor *tensor;
  gconstpointer part;
} PhImportValue;

/* A node as a file has it: names instead of values. */
typedef struct
{
  const char *op_type, *domain, *name;        /* @domain, @name: may be ""                                       */
  const char *const *inputs, *const *outputs; /* "": left out                                                    */
  gsize n_inputs, n_outputs;
  const PhType *const *output_types; /* (nullable)                                                      */
  PhAttr *const *attrs;
  gsize n_attrs;
  const char *const *after; /* values whose nodes come first, though it does not use them      */
  gsize n_after;
  PhImportGraph *const *bodies; /* its bodies, whose captures it uses                              */
  gsize n_bodies;
  const PhWhere *where; /* (nullable)                                                      */
  gconstpointer part;
} PhImportNode;

struct _PhImportGraph
{
  const char *name;
  const char *attr;            /* of a body: the attribute of its node                            */
  const PhImportValue *inputs; /* @tensor (nullable): the default                                 */
  gsize n_inputs;
  const PhImportValue *constants;
  gsize n_constants;
  const PhImportNode *nodes;
  gsize n_nodes;
  const PhImportValue *outputs;
  gsize n_outputs;
};

typedef struct
{
  PhSource *source;
  PhModel *model;
  gboolean links; /* of a graph that may have cycles: what closes one is no input but is said in PH_LINKS_ATTR */
  GArray *linked; /* (nullable) of the scopes: what is yet to link */
} PhImporter;

/* Interned; what is not UTF-8 is mended and listed as a problem. NULL is "". */
const char *ph_importer_name (PhImporter *importer, const char *name);

/* All of @file into @graph, which is empty. */
gboolean ph_import_graph (PhImporter *importer, PhGraph *graph, const PhImportGraph *file, GError **error);

/* The same in steps, for a reader that makes its nodes itself: announce, define inputs and constants, add the nodes. */
typedef struct _PhScope PhScope;
struct _PhScope
{
  PhImporter *importer;
  PhScope *outer;  /* (nullable)                                              */
  gboolean closed; /* it sees nothing of what is outside                      */
  PhGraph *graph;
  const PhImportGraph *file;
  PhNames *names;      /* interned name -> PhValue, or the node that will make it */
  GHashTable *written; /* (nullable) of the outermost: all names of it and its bodies */
};

void ph_scope_init (PhScope *scope, PhImporter *importer, PhScope *outer, gboolean closed, PhGraph *graph,
                    const PhImportGraph *file);
void ph_scope_clear (PhScope *scope);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhScope, ph_scope_clear)

gboolean ph_scope_announce (PhScope *scope, GError **error); /* a name twice is an error  */
gboolean ph_scope_add_input (PhScope *scope, const PhImportValue *input, GError **error);
gboolean ph_scope_add_constant (PhScope *scope, const PhImportValue *constant, GError **error);
PhValue *ph_scope_find (PhScope *scope, const char *name); /* (nullable), also outside  */

/* Makes node @index of the file: @spec has its operator, name, inputs, and names for its outputs that are free in the model. */
typedef PhNode *(*PhImportFunc) (PhScope *scope, gsize index, PhNodeSpec *spec, gpointer data, GError **error);
/* In an order in which they can be made, as near to the file's as can be. @make: NULL for what PhImportNode says. */
gboolean ph_scope_add_nodes (PhScope *scope, PhImportFunc make, gpointer data, GError **error);
gboolean ph_scope_set_outputs (PhScope *scope, GError **error);

/* "node 12 'conv1' (Conv)", for messages. */
char *ph_scope_describe (PhScope *scope, gsize index);
/* Edits say what is wrong with the graph, not where in the file: FALSE with @error, @reason (transfer full) at @part. */
gboolean ph_scope_blame (PhScope *scope, gconstpointer part, GError *reason, GError **error);

G_END_DECLS
