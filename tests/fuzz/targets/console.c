/* console.c: sessions of a console: lines of any command, one after the other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (GStrv) lines = target_lines (data, size, 8);
  TargetConsole target;

  target_console_open (&target);
  for (guint i = 0; lines[i] != NULL; i++)
    target_console_run (&target, lines[i]);
  target_console_close (&target);
  return 0;
}
