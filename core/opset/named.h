/* named.h: the operators that a row of a table is for; private to core/opset.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Whether @name is one of @names, which stand with single spaces between them. */
static inline gboolean
is_named (const char *names, const char *name)
{
  gsize n = strlen (name);

  for (const char *p = names; (p = strstr (p, name)) != NULL; p += n)
    if ((p == names || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
      return TRUE;
  return FALSE;
}

G_END_DECLS
