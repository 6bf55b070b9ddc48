/* format.c: one format of the list, by -DFORMAT. What is read is whole, and what is written of it can be read again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"
#include "core/ops/verify.h"

/* Whatever is in the model, a saved file is opened by the format that wrote it. */
static void
assert_recognised (gconstpointer data, gsize size, const char *name, const char *format)
{
  g_autoptr (GBytes) head = g_bytes_new_static (data, MIN (size, PH_FORMAT_HEAD));
  const PhFormat *taken = ph_format_recognise (head, name);

  if (taken == NULL || !g_str_equal (taken->name, format))
    target_fail ("what was saved as %s is taken for %s", name, taken != NULL ? taken->title : "nothing");
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size), written = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find (FORMAT), bytes, "fuzz", problems, &error), again = NULL;
  g_autofree char *text = NULL, *second = NULL;

  g_assert_true ((model == NULL) == (error != NULL));
  if (model == NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  if (!ph_model_verify (model, &error) && g_error_matches (error, PH_ERROR, PH_ERROR_FAILED))
    target_fail ("a model that does not hang together: %s", error->message);
  g_clear_error (&error);
  text = ph_onnx_text_print (model, 64);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_free (text);
  text = ph_onnx_text_print (model, G_MAXSIZE);
  assert_recognised (text, strlen (text), "again.onnxtxt", "onnx-text");
  again = ph_onnx_text_read (text, -1, "again", &error);
  if (again == NULL)
    target_fail ("what was printed cannot be read: %s\n%s", error->message, text);
  second = ph_onnx_text_print (again, G_MAXSIZE);
  if (!g_str_equal (second, text))
    target_fail ("printed, read and printed it is another text:\n%s\n%s", text, second);
  g_clear_pointer (&again, ph_model_free);
  written = ph_onnx_write (model, &error);
  if (written == NULL)
    return 0;
  assert_recognised (g_bytes_get_data (written, NULL), g_bytes_get_size (written), "again.onnx", "onnx");
  again = ph_onnx_read (written, "again", NULL, &error);
  if (again == NULL)
    target_fail ("what was written cannot be read: %s", error->message);
  return 0;
}
