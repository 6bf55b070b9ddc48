/* draft.h: a graph as a reader finds it, part by part, for core/io/import.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"

G_BEGIN_DECLS

/* Owns all that is added to it, the bodies of its nodes included. Names that are not UTF-8 are mended, attributes with the name of
 * an earlier one are dropped. */
typedef struct _PhDraft PhDraft;
typedef struct _PhDraftNode PhDraftNode;

PhDraft     *ph_draft_new          (PhImporter *importer, const char *name);
void         ph_draft_free         (PhDraft *draft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhDraft, ph_draft_free)

/* @name, interned; with a number behind it where something of the draft is called so already. From then on it is taken. */
const char  *ph_draft_claim        (PhDraft *draft, const char *name);
gboolean     ph_draft_is_taken     (PhDraft *draft, const char *name);

/* Inputs and constants have names that ph_draft_claim() gave. @type: (nullable). @tensor: (transfer full) */
void         ph_draft_add_input    (PhDraft *draft, const char *name, const PhType *type);
void         ph_draft_add_constant (PhDraft *draft, const char *name, PhTensor *tensor);
void         ph_draft_add_output   (PhDraft *draft, const char *name);
guint        ph_draft_n_outputs    (PhDraft *draft);
guint        ph_draft_n_nodes      (PhDraft *draft);

PhDraftNode *ph_draft_add_node     (PhDraft *draft, const char *op_type, const char *domain, const char *name);
void         ph_draft_node_input   (PhDraftNode *node, const char *name);                        /* "": left out */
void         ph_draft_node_output  (PhDraftNode *node, const char *name, const PhType *type);    /* claimed      */
void         ph_draft_node_attr    (PhDraftNode *node, PhAttr *attr);                            /* (transfer full) */
void         ph_draft_node_after   (PhDraftNode *node, const char *name);                        /* a value whose node comes first */
void         ph_draft_node_body    (PhDraftNode *node, const char *attr, PhDraft *body);         /* (transfer full) */
void         ph_draft_node_where   (PhDraftNode *node, const PhWhere *where);

/* A name that a node uses and nothing makes becomes an input, and a problem. */
gboolean     ph_draft_import       (PhDraft *draft, PhGraph *graph, GError **error);

G_END_DECLS
