/* edit-record.h: a change of a graph as pure data, and its inverse.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_EDIT_ADD_NODE, PH_EDIT_REMOVE_NODE,        /* without uses of its outputs, without bodies               */
  PH_EDIT_ADD_VALUE, PH_EDIT_REMOVE_VALUE,      /* a constant or a graph input, without uses                 */
  PH_EDIT_ADD_GRAPH, PH_EDIT_REMOVE_GRAPH,      /* an empty body of a node                                   */
  PH_EDIT_SET_INPUT,                            /* also appends (index == n) and takes the last off      */
  PH_EDIT_SET_OUTPUT,                           /* of a graph; likewise                                      */
  PH_EDIT_SET_ATTR, PH_EDIT_SET_TYPE, PH_EDIT_RENAME, PH_EDIT_MOVE_NODE, PH_EDIT_SET_OPSET,
  PH_EDIT_SET_CONTROL,                          /* one edge of order comes (before: PH_NO_ID) or goes        */
  PH_EDIT_ADD_FUNCTION, PH_EDIT_REMOVE_FUNCTION, /* with an empty graph                                      */
  PH_N_EDITS
} PhEditKind;
/* clang-format on */

/* Pure data: ids and shared immutable parts, no pointers into a graph, so that an edit recorded on a clone applies to
 * the model that it was cloned from. Owned by the journal. */
typedef struct _PhEdit PhEdit;
struct _PhEdit
{
  gatomicrefcount ref_count; /* a worker that reads the journal holds on to its edits                  */
  PhEditKind kind;
  PhId id;                         /* the node, value or graph that is changed, added, removed               */
  PhId graph;                      /* ADD_*: where; SET_OUTPUT: which                                        */
  PhId place;                      /* node to stand after (PH_NO_ID: first); MOVE_NODE: the old one          */
  PhId new_place;                  /* MOVE_NODE                                                              */
  guint index;                     /* SET_INPUT, SET_OUTPUT, graph input                                     */
  gboolean absent;                 /* SET_INPUT, SET_OUTPUT: there was no such slot before                   */
  gboolean last;                   /* SET_INPUT, SET_OUTPUT: the slot itself goes away                       */
  gboolean hidden;                 /* inside the body of a fused node: not counted, not shown in diffs       */
  PhId before, after;              /* SET_INPUT, SET_OUTPUT: values; PH_NO_ID is ""; SET_CONTROL: nodes       */
  const char *old_name, *new_name; /* RENAME; SET_ATTR, ADD_GRAPH, SET_OPSET: new_name is the key  */
  const PhType *old_type, *new_type;
  PhAttr *old_attr, *new_attr; /* (nullable) owned                                             */
  gint64 old_version, new_version;
  gpointer spec; /* ADD/REMOVE_NODE, _VALUE, _FUNCTION: all of it, private to edit.c        */
};

PhEdit *ph_edit_ref (PhEdit *edit);
void ph_edit_free (PhEdit *edit); /* gives one reference up            */
/* What a model was compiled to is let go of by the next edit, but for a change of a type, which no program is made by. */
void ph_model_drop_program (PhModel *model);
/* Which kernels are to run its nodes (PhModel.kernels). @kernels: (nullable) (transfer none). Its clones take them over. */
void ph_model_set_kernels (PhModel *model, GHashTable *kernels);
void ph_edit_apply (PhModel *model, const PhEdit *edit);  /* in the order they were recorded  */
void ph_edit_revert (PhModel *model, const PhEdit *edit); /* in the opposite order            */
char *ph_edit_to_string (const PhEdit *edit);             /* for logs and failing tests       */

G_END_DECLS
