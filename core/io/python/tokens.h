/* tokens.h: tokens of Python, and how its parser says what is wrong. Private to core/io/python.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"

G_BEGIN_DECLS

typedef enum
{
  PH_PY_T_NAME,
  PH_PY_T_NUMBER,
  PH_PY_T_STRING,
  PH_PY_T_OP,
  PH_PY_T_NEWLINE,
  PH_PY_T_INDENT,
  PH_PY_T_DEDENT,
  PH_PY_T_END
} PhPyTokenKind;
typedef struct
{
  PhPyTokenKind kind;
  const char *start, *end, *comment;
  guint line, column;
} PhPyToken;
GArray *ph_py_tokens (PhPyModule *module, const char *text, gsize size, guint line, GError **error);
gboolean ph_py_fail (PhPyModule *module, guint line, guint column, GError **error, const char *format, ...) G_GNUC_PRINTF (5, 6);

G_END_DECLS
