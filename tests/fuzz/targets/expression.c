/* expression.c: expressions of the console, each line one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <string.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (GStrv) lines = target_lines (data, size, 6);
  TargetConsole target;

  target_console_open (&target);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *line = strchr (lines[i], '=') == NULL ? g_strconcat ("r = ", lines[i], NULL) : g_strdup (lines[i]);

      target_console_run (&target, line);
    }
  target_console_close (&target);
  return 0;
}
