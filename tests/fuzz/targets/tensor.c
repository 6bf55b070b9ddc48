/* tensor.c: tensors in files of their own: .npy and .pb, of each kind.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <glib/gstdio.h>

#include "core/io/io.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const names[] = { "t.npy", "t.pb" };
  const PhType *types[] = { NULL, ph_type_sequence (PH_KIND_SEQUENCE, ph_type_unranked (PH_FLOAT)),
                            ph_type_sequence (PH_KIND_OPTIONAL, ph_type_unranked (PH_INT64)) };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhTensor) tensor = NULL, again = NULL;
  g_autofree char *name = NULL, *text = NULL;
  const guint way = size > 0 ? data[0] % 4 : 0;
  PhTensorStats stats;

  if (size == 0)
    return 0;
  g_assert_true (g_file_set_contents (names[way > 0], (const char *) data + 1, (gssize) size - 1, NULL));
  tensor = ph_tensor_load (names[way > 0], types[way > 0 ? way - 1 : 0], &name, &error);
  g_assert_true ((tensor == NULL) == (error != NULL));
  if (tensor == NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  text = ph_tensor_to_string (tensor, 16);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  ph_tensor_stats (tensor, &stats);
  if (!ph_tensor_save (tensor, name, names[way > 0], &error))
    return 0;
  /* The content decides what it was, not the name. */
  again = ph_tensor_load (names[way > 0], ph_tensor_kind (tensor) == PH_KIND_TENSOR ? NULL : types[way > 0 ? way - 1 : 0], NULL,
                          &error);
  g_assert_no_error (error);
  if (way > 0)
    g_assert_true (ph_tensor_equal (tensor, again));
  return 0;
}
