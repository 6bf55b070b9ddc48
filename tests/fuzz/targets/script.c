/* script.c: programs of the tensor language: run, and each function that was called traced and compiled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <string.h>

#include "core/script/script.h"
#include "core/tensor/tensor.h"

#define MAX_STEPS 3000

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *source = g_strndup ((const char *) data, MIN (size, 4000));
  g_autoptr (PhScript) script = ph_script_new ();
  g_autoptr (GError) error = NULL;
  PhScriptText *text;
  PhScriptResult result = { NULL };
  g_auto (GStrv) names = NULL;

  if (!g_utf8_validate (source, -1, NULL))
    return 0;
  ph_tensor_set_budget (64 << 20);
  ph_script_set_limit (script, MAX_STEPS);
  text = ph_script_parse (source, NULL, &error);
  if (text == NULL)
    return 0;
  ph_script_run (script, text, size % 2 == 0, NULL, &result, &error);
  ph_script_result_clear (&result);
  ph_script_text_free (text);
  names = ph_script_names (script);
  for (guint i = 0; names[i] != NULL; i++)
    if (ph_script_has_function (script, names[i]))
      for (guint compile = 0; compile < 2; compile++)
        {
          g_autoptr (GError) why = NULL;
          PhScriptText *call = ph_script_parse (names[i], NULL, NULL);
          g_autoptr (PhScriptGraph) graph = call == NULL ? NULL
                                            : compile    ? ph_script_compile (script, call, NULL, &why)
                                                         : ph_script_trace (script, call, NULL, &why);

          ph_script_text_free (call);
        }
  return 0;
}
