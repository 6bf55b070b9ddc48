/* onnx-text.c: ONNX text. What is printed of what was read can be read, and is printed the same.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include "core/io/io.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(PhModel) model = ph_onnx_text_read ((const char *) data, (gssize) size, "fuzz", &error), again = NULL;
  g_autofree char *text = NULL, *second = NULL;

  g_assert_true ((model == NULL) == (error != NULL));
  if (model == NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  text = ph_onnx_text_print (model, G_MAXSIZE);
  again = ph_onnx_text_read (text, -1, "again", &error);
  if (again == NULL)
    target_fail ("what was printed cannot be read: %s\n%s", error->message, text);
  second = ph_onnx_text_print (again, G_MAXSIZE);
  if (!g_str_equal (second, text))
    target_fail ("printed, read and printed it is another text:\n%s\n%s", text, second);
  return 0;
}
