/* newcomer.h: a model while it is opened: it replaces the open one, or the window shows it beside that.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

typedef struct
{
  PhModel *model, *copy; /* copy: (nullable) for workers                                     */
  PhHistory *recorded;   /* (nullable) steps that lead on from it                            */
  GPtrArray *problems;   /* (nullable) (element-type char*)                                  */
  GHashTable *feeds;     /* (nullable) char* -> PhTensor                                     */
  char *path;            /* (nullable) its file                                              */
  char *program, *text;  /* (nullable) a graph of the tensor language: its program, as there */
} PhNewcomer;

PhNewcomer *ph_newcomer_new (PhModel *model); /* @model: (transfer full) */
void ph_newcomer_free (PhNewcomer *newcomer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhNewcomer, ph_newcomer_free)
/* @document shows it from now on. @newcomer: (transfer full) */
void ph_newcomer_settle (PhNewcomer *newcomer, PhDocument *document);

/* Takes what would replace what @document shows; called where somebody typed the line that made it. @newcomer: (transfer full) */
typedef void (*PhBeside) (PhDocument *document, PhNewcomer *newcomer, gpointer data);
void ph_document_set_beside (PhDocument *document, PhBeside beside, gpointer data);
/* TRUE: it went beside. @typed: it may. @newcomer: (transfer full) */
gboolean ph_document_admit (PhDocument *document, PhNewcomer *newcomer, gboolean typed);

G_END_DECLS
