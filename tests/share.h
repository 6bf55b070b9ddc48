/* share.h: which cases of a sweep a build does: all of them, or with the sanitizers, where each takes ten times as long, each N-th.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* N, from PEEPHOLE_TEST_SHARE; 1 without it. */
static inline guint
test_share (void)
{
  const char *text = g_getenv ("PEEPHOLE_TEST_SHARE");
  const guint64 n = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 1;

  return (guint) CLAMP (n, 1, 1000);
}

/* Whether the @i-th case is done. */
static inline gboolean
test_share_takes (guint i)
{
  return i % test_share () == 0;
}

G_END_DECLS
