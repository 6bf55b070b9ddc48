/* words.h: the words of the language.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script.h"

G_BEGIN_DECLS

/* ── the words of the language ── */

/* help, completion and the reference are made of this list; @function is NULL for what is no function. */
typedef struct
{
  const char *name, *arguments, *summary;
  gpointer function;
} PhScriptWord;
const PhScriptWord *ph_script_words (guint *n);
const PhScriptWord *ph_script_word_find (const char *name); /* (nullable) a function */
/* The operator that a name stands for: "log", "Log", "reduce_sum", "ReduceSum"; NULL and an error: there is none. */
const PhOp *ph_script_op (const char *typed, guint n_arguments, GError **error);

G_END_DECLS
