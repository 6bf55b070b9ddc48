/* onnx.c: ONNX's protobuf files. Large weights stay in the file until something reads them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/onnx/proto.h"

/* Recognises binary files: the format has no magic number, but its first field, the version, is always a control character. */
static guint
probe (const guint8 *head, gsize size, const char *name)
{
  for (gsize i = 0; i < size; i++)
    if (head[i] < 0x20 && (head[i] == 0 || strchr ("\t\n\r\f", head[i]) == NULL))
      return g_str_has_suffix (name, ".onnx") ? 50 : 30;
  return 0;
}

static PhModel *
read_model (PhSource *base, GError **error)
{
  g_auto (PhOnnxSource) source = { .base = base };
  g_auto (PhArena) arena = { 0 };
  g_autoptr (GByteArray) slim = NULL;
  Onnx__ModelProto *proto;

  if (base->bytes != NULL && g_bytes_get_size (base->bytes) == 0)
    {
      ph_source_fail (base, error, PH_ERROR_FILE, NULL, "the file is empty");
      return NULL;
    }
  slim = ph_wire_walk (&source, error);
  if (slim == NULL)
    return NULL;
  ph_arena_init (&arena);
  proto = ph_proto_read_model (&arena, slim->data, slim->len);
  g_clear_pointer (&slim, g_byte_array_unref);
  if (proto == NULL)
    {
      ph_source_fail (base, error, PH_ERROR_FILE, NULL,
                      "not a readable ONNX model: one of its small messages is damaged. Get it again");
      return NULL;
    }
  return ph_onnx_import (&source, &arena, proto, error);
}

/* clang-format off */
const PhFormat ph_format_onnx = {
  .name = "onnx", .title = "ONNX model", .patterns = (const char *const[]) { "*.onnx", "*.pb", NULL }, .mime = "application/x-onnx",
  .probe = probe, .read = read_model, .write = ph_onnx_save, .dialect = &ph_dialect_onnx,
};
/* clang-format on */

PhModel *
ph_onnx_read (GBytes *bytes, const char *path, GPtrArray *problems, GError **error)
{
  return ph_format_read_bytes (&ph_format_onnx, bytes, path, problems, error);
}
