/* script.h: the tensor language: a part of Python that computes at once and records, is traced, or is compiled to a graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Variables, functions and the graph that lines record. Not thread-safe: one line runs at a time. */
typedef struct _PhScript PhScript;
typedef struct _PhScriptValue PhScriptValue;

PhScript *ph_script_new (void);
void ph_script_free (PhScript *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScript, ph_script_free)
/* Forgets variables, functions and what was recorded. */
void ph_script_clear (PhScript *script);

/* A run, or a compilation, of more than @steps turns of loops and operators is an error; 0: of as many as it takes. */
void ph_script_set_limit (PhScript *script, guint steps);

/* What a name means outside: a value of the open model, say. (transfer full) (nullable) Sets @known for what is there and has no
 * tensor yet. */
typedef PhTensor *(*PhScriptOutside) (const char *name, gboolean *known, gpointer data);

/* What one text made. */
typedef struct
{
  char *target;         /* (nullable) the name that the last statement assigned               */
  PhScriptValue *value; /* (nullable) of the last statement, if it was an expression or an assignment to a name */
  GString *out;         /* what print() said                                                  */
  gboolean recorded;    /* something was recorded, or got a name                              */
} PhScriptResult;

void ph_script_result_clear (PhScriptResult *result);

/* A text that was read: run it once or more. */
typedef struct _PhScriptText PhScriptText;
/* @file: in messages and places of nodes; NULL: a line that was typed. Errors name line and column. */
PhScriptText *ph_script_parse (const char *text, const char *file, GError **error);
void ph_script_text_free (PhScriptText *text);
/* Looks the names of @text, and of the functions that there are, up outside, where the script does not know them. */
void ph_script_find_outside (PhScript *script, PhScriptText *text, PhScriptOutside outside, gpointer data);
/* @typed: a line at the prompt, where a number that gets a name becomes an input of the graph. */
gboolean ph_script_run (PhScript *script, PhScriptText *text, gboolean typed, GCancellable *cancellable, PhScriptResult *result,
                        GError **error);

/* Variables. */
gboolean ph_script_has (PhScript *script, const char *name); /* a variable that is a tensor or number */
gboolean ph_script_has_function (PhScript *script, const char *name);
char **ph_script_names (PhScript *script); /* (transfer full) of variables and functions */
/* The recorded graph, which must not be changed, and of a variable its value there. (nullable) */
PhModel *ph_script_get_model (PhScript *script);
PhValue *ph_script_get_recorded (PhScript *script, const char *name);
PhTensor *ph_script_get_tensor (PhScript *script, const char *name);   /* (transfer none) (nullable) */
PhTensor *ph_script_get_feed (PhScript *script, const PhValue *input); /* (transfer none) (nullable) of the recorded graph */

/* Values, for who shows them. */
PhTensor *ph_script_value_tensor (PhScriptValue *value);           /* (transfer full) NULL: it is none */
char *ph_script_value_text (PhScriptValue *value, guint elements); /* (transfer full) */
gboolean ph_script_value_is_none (PhScriptValue *value);
/* Its parts, of a tuple; 0: it is none. */
guint ph_script_value_n (PhScriptValue *value);
PhScriptValue *ph_script_value_item (PhScriptValue *value, guint i);

/* ── functions as graphs ── */

/* A call as it is typed, "f(x, 2)"; "f" alone stands for the last call of f. */
typedef struct
{
  PhModel *model;    /* owned                                                              */
  GHashTable *feeds; /* owned: name of an input -> PhTensor                                */
  char *file;        /* of the places of its nodes                                          */
  char *text;        /* of the program that the function stands in                          */
  gboolean typed;    /* that was typed, and is no file                                      */
} PhScriptGraph;

void ph_script_graph_free (PhScriptGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScriptGraph, ph_script_graph_free)
/* One run as a graph: branches as they were taken, loops unrolled. */
PhScriptGraph *ph_script_trace (PhScript *script, PhScriptText *call, GCancellable *cancellable, GError **error);
/* The source as a graph, with If and Loop. */
PhScriptGraph *ph_script_compile (PhScript *script, PhScriptText *call, GCancellable *cancellable, GError **error);

G_END_DECLS
