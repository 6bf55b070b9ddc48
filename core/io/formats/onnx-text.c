/* onnx-text.c: ONNX's own text syntax.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/onnx/proto.h"

/* Returns the position of the next word at or after @at, past spaces and comments. */
static gsize
skip_space (const guint8 *head, gsize size, gsize at)
{
  while (at < size)
    if (head[at] == '#' || (head[at] == '/' && at + 1 < size && head[at + 1] == '/'))
      while (at < size && head[at] != '\n')
        at++;
    else if (g_ascii_isspace (head[at]))
      at++;
    else
      break;
  return at;
}

/* Returns the end of the name at @at, which may be quoted; @at itself if there is none. */
static gsize
skip_name (const guint8 *head, gsize size, gsize at)
{
  if (at < size && head[at] == '"')
    {
      for (at++; at < size && head[at] != '"'; at++)
        if (head[at] == '\\')
          at++;
      return MIN (at + 1, size);
    }
  if (at < size && g_ascii_isdigit (head[at]))
    return at;
  while (at < size && (g_ascii_isalnum (head[at]) || head[at] == '_'))
    at++;
  return at;
}

/* Detects a text, which begins with "<ir_version: 10, ...>" or a graph: "name (". */
static guint
probe (const guint8 *head, gsize size, const char *name)
{
  const guint by_name = g_str_has_suffix (name, ".onnxtxt") ? 50 : 0;
  gsize at, end;
  gboolean keys;

  for (gsize i = 0; i < size; i++)
    if (head[i] < 0x20 && (head[i] == 0 || strchr ("\t\n\r\f", head[i]) == NULL))
      return 0;
  at = skip_space (head, size, size >= 3 && memcmp (head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
  keys = at < size && head[at] == '<';
  if (keys)
    at = skip_space (head, size, at + 1);
  /* This key alone is conclusive. */
  if (keys && size - at > 10 && memcmp (head + at, "ir_version", 10) == 0)
    return 98;
  end = skip_name (head, size, at);
  if (end > at || at == size)
    {
      const gsize next = skip_space (head, size, end);

      /* The head may end before the deciding character. */
      if (next < size ? head[next] == (keys ? ':' : '(') : size >= PH_FORMAT_HEAD)
        return MAX (by_name, 20);
    }
  return keys && at < size && head[at] == '>' ? MAX (by_name, 20) : by_name;
}

extern const PhFormat ph_format_onnx_text;

static PhModel *
read_model (PhSource *base, GError **error)
{
  g_auto (PhOnnxSource) source = { .base = base };
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
      && !ph_format_has_pattern (&ph_format_onnx_text, base->path)) /* other text may begin in the same way */
    {
      g_autofree char *message = g_strdup_printf (
          "%s. It was read as ONNX text, since it begins like that: `formats` lists what can be opened", (*error)->message);

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
