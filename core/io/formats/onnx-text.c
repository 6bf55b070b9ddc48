/* onnx-text.c: ONNX's own text syntax.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/onnx/proto.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  gsize at = 0;

  for (gsize i = 0; i < size; i++)
    if (head[i] < 0x20 && (head[i] == 0 || strchr ("\t\n\r\f", head[i]) == NULL))
      return 0;
  /* "<ir_version: 10, ...>" begins a model; what comes behind it may look like anything. */
  while (at < size && (g_ascii_isspace (head[at]) || head[at] == '<'))
    at++;
  if (at > 0 && size - at > 10 && memcmp (head + at, "ir_version", 10) == 0)
    return 98;
  return g_str_has_suffix (name, ".onnxtxt") ? 50 : 20;
}

extern const PhFormat ph_format_onnx_text;

static PhModel *
read_model (PhSource *base, GError **error)
{
  g_auto (PhOnnxSource) source = { .base = base, .lenient = TRUE };
  g_auto (PhArena) arena = { 0 };
  g_autoptr (GBytes) text = ph_source_dup_bytes (base, error);
  Onnx__ModelProto *proto;
  gsize size;
  const char *data;

  if (text == NULL)
    return NULL;
  data = g_bytes_get_data (text, &size);
  ph_arena_init (&arena);
  proto = ph_text_parse (&source, &arena, data, size, error);
  if (proto == NULL && error != NULL && *error != NULL
      && !ph_format_has_pattern (&ph_format_onnx_text, base->path)) /* the last resort of any text */
    {
      g_autofree char *message = g_strdup_printf (
          "%s. It was read as ONNX text, since it is like no other format: `formats` lists what can be opened",
          (*error)->message);

      g_free ((*error)->message);
      (*error)->message = g_steal_pointer (&message);
    }
  return proto != NULL ? ph_onnx_import (&source, &arena, proto, error) : NULL;
}

/* clang-format off */
const PhFormat ph_format_onnx_text = {
  .name = "onnx-text", .title = "ONNX model as text", .patterns = (const char *const[]) { "*.onnxtxt", "*.txt", NULL },
  .mime = "text/x-onnx", .mime_parent = "text/plain",
  .text = TRUE, .probe = probe, .read = read_model, .write = ph_onnx_text_save, .dialect = &ph_dialect_onnx,
};
/* clang-format on */

PhModel *
ph_onnx_text_read (const char *text, gssize length, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, length >= 0 ? (gsize) length : strlen (text));

  return ph_format_read_bytes (&ph_format_onnx_text, bytes, path, NULL, error);
}
