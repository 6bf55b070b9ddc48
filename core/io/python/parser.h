/* parser.h: the state of the parser of Python text. Private to core/io/python.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/io/python/tokens.h"

G_BEGIN_DECLS

typedef struct
{
  PhPyModule *module;
  const PhPyToken *token;
  guint depth;
  GError **error;
} PhPyParser; /* the first error sticks */

gboolean ph_py_is (const PhPyParser *parser, const char *text);
void ph_py_next (PhPyParser *parser);
gboolean ph_py_take (PhPyParser *parser, const char *text);
gboolean ph_py_expect (PhPyParser *parser, const char *text);
gpointer ph_py_unexpected (PhPyParser *parser, const char *wanted); /* NULL, with an error */
gboolean ph_py_enter (PhPyParser *parser);                          /* FALSE: too deep     */
PhPy *ph_py_new (PhPyParser *parser, PhPyKind kind, const PhPyToken *at);
gboolean ph_py_set (PhPyParser *parser, PhPy *py, PhPy *const *items, guint n);
const char *ph_py_token_text (PhPyParser *parser, const PhPyToken *token);

/* literal.c. What @token, a string with its quotes, stands for. */
void ph_py_append_string (GString *out, const PhPyToken *token);
PhPy *ph_py_number (PhPyParser *parser); /* the present token   */

PhPy *ph_py_expr (PhPyParser *parser);
PhPy *ph_py_exprs (PhPyParser *parser);                                        /* with commas: a tuple */
PhPy *ph_py_targets (PhPyParser *parser);                                      /* likewise, up to "in" */
PhPy *ph_py_binary (PhPyParser *parser, guint least);                          /* 2: without if-else, 6: without comparisons */
gboolean ph_py_parameters (PhPyParser *parser, PhPy *into, const char *close); /* and past @close     */

G_END_DECLS
