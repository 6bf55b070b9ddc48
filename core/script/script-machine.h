/* script-machine.h: a run of the language: its frames, what it decided, and its errors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-scope.h"

G_BEGIN_DECLS

typedef struct _PhScriptFrame PhScriptFrame;
struct _PhScriptFrame
{
  PhScriptFrame *outer;
  PhScriptFunction *function; /* (nullable) of the text itself                                         */
  PhScriptText *text;
  PhScriptScope *scope;
  PhScriptValue *result; /* (nullable) owned                                                      */
  gboolean typed;        /* at the prompt                                                         */
  GHashTable *given;     /* (nullable) memory of tensors that came in: they are the caller's      */
  const char *target;    /* (nullable) what the statement assigns, as a name for what it computes */
  guint n_targets;       /* of the tuple that @wanting is unpacked into                           */
  const PhPy *wanting;   /* (nullable) */
  guint loops;           /* around                                                                */
  GArray *iterated;      /* (nullable) (element-type guint64) memory of the tensors that they go over */
};

/* What the run decided by looking at numbers: what a trace freezes. */
typedef struct
{
  guint line, column;
  gint64 outcome;
} PhScriptDecision;

typedef struct
{
  PhScript *script;
  PhScriptFrame *frame;
  GCancellable *cancellable; /* (nullable) */
  gboolean compiling;
  PhGraph *graph; /* where nodes go                                                        */
  guint64 recorder;
  GHashTable *constants; /* PhScriptValue (owned) -> PhValue                                      */
  GHashTable *feeds;     /* (nullable) PhId -> PhTensor, of inputs made on the way                */
  const PhPy *at;
  const PhPy *call_of_word; /* (nullable) while a word runs that is written in the language, with its frame */
  PhScriptFrame *frame_of_word;
  guint depth, n_nodes, max_nodes, n_steps;
  gboolean keep;          /* nodes that ran stay in the graph                                      */
  GArray *decisions;      /* (nullable) (element-type PhScriptDecision)                            */
  GString *out;           /* (nullable) */
  PhScriptResult *result; /* (nullable) */
  GHashTable *shared;     /* (nullable) memory -> memory with which it may be the same               */
} PhScriptMachine;

#define PH_SCRIPT_MAX_DEPTH 100
#define PH_SCRIPT_MAX_NODES 200000

const char *ph_script_file (PhScriptMachine *machine); /* of what runs: "line" where it was typed */
const PhPy *ph_script_place (PhScriptMachine *machine, const PhPy *at);
void ph_script_machine_clear (PhScriptMachine *machine);
/* Sets @error to "file:line:column: message" with the line and a caret below; returns NULL. */
gpointer ph_script_fail (PhScriptMachine *machine, const PhPy *at, GError **error, PhError code, const char *format, ...)
    G_GNUC_PRINTF (5, 6);
/* The same in front of an error that something else made, once. */
gpointer ph_script_blame (PhScriptMachine *machine, const PhPy *at, GError *reason, GError **error);
gboolean ph_script_go_on (PhScriptMachine *machine, GError **error); /* FALSE: cancelled */
void ph_script_decide (PhScriptMachine *machine, const PhPy *at, gint64 outcome);

G_END_DECLS
