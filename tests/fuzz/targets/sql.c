/* sql.c: questions to the tables, over a document that has been through a few passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static TargetConsole target;
  g_auto (GStrv) lines = target_lines (data, size, 4);

  if (target.console == NULL)
    {
      target_console_open (&target);
      target_console_run (&target, "run cse dce algebraic");
    }
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *line = g_strconcat ("select ", lines[i], NULL);

      target_console_run (&target, lines[i][0] == '\t' ? lines[i] + 1 : line);
    }
  return 0;
}
