/* script-scope.h: texts, scopes, functions, and the script that holds them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/script/script-value.h"

G_BEGIN_DECLS

struct _PhScriptText
{
  gatomicrefcount refs;
  PhSource source;
  char *text, *file; /* @file: (nullable)                                                     */
  PhPyModule *module;
};

PhScriptText *ph_script_text_ref (PhScriptText *text);

typedef struct _PhScriptScope PhScriptScope;
struct _PhScriptScope
{
  gatomicrefcount refs;
  GHashTable *variables; /* name -> PhScriptValue, owned                                          */
  GHashTable *locals;    /* (nullable) names that the function assigns; not owned                 */
  PhScriptScope *outer;  /* (nullable) owned                                                      */
};

PhScriptScope *ph_script_scope_new (PhScriptScope *outer);
PhScriptScope *ph_script_scope_ref (PhScriptScope *scope);
void ph_script_scope_unref (PhScriptScope *scope);

struct _PhScriptFunction
{
  gatomicrefcount refs;
  PhScriptText *text;
  const PhPy *def;
  char *name;
  PhScriptScope *scope; /* where it was defined; NULL: the script's own (which owns it)          */
  GHashTable *locals;
  PhScriptValue **fallbacks; /* def->n of them, nullable: defaults of parameters                      */
  PhScriptValue **arguments; /* (nullable) of the last call from outside                              */
};

PhScriptFunction *ph_script_function_ref (PhScriptFunction *function);
void ph_script_function_unref (PhScriptFunction *function);

struct _PhScript
{
  PhScriptScope *globals;
  GHashTable *outside; /* name -> PhTensor                                                      */
  PhModel *model;      /* what lines recorded                                                   */
  guint64 recorder;
  GHashTable *feeds;      /* PhId -> PhTensor: of its inputs                                        */
  PhScriptScope *library; /* (nullable) words that are written in the language, once one was called    */
  GPtrArray *scopes;      /* (element-type PhScriptScope) that functions defined inside hold on to  */
  guint limit;            /* turns and operators at most; 0: no limit                             */
  guint steps;            /* that the last ph_script_eager() took                                 */
  guint64 draws;          /* how often random() was asked                                          */
  gint64 *peak; /* (nullable) where eager runs note the most bytes that names, and what is just computed, hold at once */
};
/* "a.b.c", of names alone. (transfer full) (nullable) */
PhTensor *ph_script_outside (PhScript *script, const char *name); /* (transfer none) (nullable) */

guint64 ph_script_next_recorder (void);

G_END_DECLS
