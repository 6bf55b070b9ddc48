/* pipeline.c: lists of passes with their marks and arguments, set and run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (GStrv) lines = target_lines (data, size, 3);
  TargetConsole target;

  target_console_open (&target);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *line = g_strconcat ("pipeline ", lines[i], NULL), *saved = NULL, *again = NULL;

      target_console_run (&target, line);
      /* What a pipeline is called is how it is said. */
      saved = ph_document_pipeline_to_text (target.document, ",");
      g_assert_true (ph_document_set_pipeline (target.document, saved, NULL));
      again = ph_document_pipeline_to_text (target.document, ",");
      g_assert_cmpstr (again, ==, saved);
    }
  /* Without proofs, which would take most of the time; the target console has them. */
  target_console_run (&target, "run --no-verify");
  target_console_run (&target, "goto 0");
  target_console_run (&target, "step");
  target_console_close (&target);
  return 0;
}
