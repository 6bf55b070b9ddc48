/* script-value.h: a value of the language: numbers, tensors, lists, functions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"
#include "core/script/script.h"
#include "core/script/words.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_SCRIPT_NONE, PH_SCRIPT_BOOL, PH_SCRIPT_INT, PH_SCRIPT_FLOAT, PH_SCRIPT_STRING, PH_SCRIPT_DTYPE,
  PH_SCRIPT_TENSOR, PH_SCRIPT_TUPLE, PH_SCRIPT_RANGE, PH_SCRIPT_FUNCTION, PH_SCRIPT_WORD, PH_SCRIPT_UNSET
} PhScriptKind;
/* clang-format on */

typedef struct _PhScriptFunction PhScriptFunction;

/* Immutable. Python's own numbers are BOOL, INT, FLOAT while they are known; one that a compiled graph computes is a weak TENSOR
 * without dimensions. In a trace or an eager run every TENSOR has its @tensor; where a graph is compiled only those from outside. */
struct _PhScriptValue
{
  gatomicrefcount refs;
  PhScriptKind kind;
  gboolean weak;         /* TENSOR: it takes the element type of what it is combined with         */
  gboolean list;         /* TUPLE: in square brackets                                             */
  gboolean shares;       /* a list: rows of it may be one list, or have other names too           */
  gint64 i;              /* BOOL, INT; DTYPE                                                      */
  double f;              /* FLOAT                                                                 */
  char *text;            /* STRING; UNSET: why; TENSOR: (nullable) its first name                   */
  PhScriptValue **items; /* TUPLE; RANGE: start, stop, step; WORD, a method: of what              */
  guint n;
  PhTensor *tensor; /* (nullable) */
  PhValue *value;   /* (nullable) in the graph of recorder @recorder                         */
  guint64 recorder;
  guint64 memory;        /* TENSOR: equal where numpy's arrays would share their elements         */
  PhScriptValue *number; /* (nullable) TENSOR: the number as which it was typed at the prompt     */
  PhScriptFunction *function;
  const PhScriptWord *word;
  const PhOp *op;    /* WORD without word: an operator                                        */
  gboolean gradient; /* FUNCTION: grad(f), jvp(f)                                             */
  gboolean forward;  /* FUNCTION: jvp(f)                                                      */
};

PhScriptValue *ph_script_value_ref (PhScriptValue *value);
void ph_script_value_unref (PhScriptValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScriptValue, ph_script_value_unref)
PhScriptValue *ph_script_none (void);
PhScriptValue *ph_script_bool (gboolean value);
PhScriptValue *ph_script_int (gint64 value);
PhScriptValue *ph_script_float (double value);
PhScriptValue *ph_script_string (const char *text);
PhScriptValue *ph_script_unset (char *why); /* (transfer full) */
PhScriptValue *ph_script_tuple (PhScriptValue *const *items, guint n, gboolean list);
PhScriptValue *ph_script_tensor (PhTensor *tensor);        /* (transfer full) */
gboolean ph_script_is_number (const PhScriptValue *value); /* BOOL, INT, FLOAT */
/* BOOL, INT, FLOAT, or one that a graph computes: the kind that it is as a number of Python's own; else NONE. */
PhScriptKind ph_script_number_kind (const PhScriptValue *value);
PhDType ph_script_dtype (const PhScriptValue *value);                           /* of a TENSOR or number; UNDEFINED: of none */
int ph_script_rank (const PhScriptValue *value);                                /* -1: unknown */
const PhType *ph_script_type (const PhScriptValue *value);                      /* of a TENSOR (nullable) */
gint64 ph_script_dim (const PhScriptValue *value, guint axis);                  /* -1: unknown */
PhTensor *ph_script_number_tensor (const PhScriptValue *number, PhDType dtype); /* (transfer full) */
const char *ph_script_kind_name (const PhScriptValue *value);                   /* "a tensor", "a list", ... */

G_END_DECLS
