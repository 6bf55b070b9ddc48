/* hlo-proto.c: HloProto and HloModuleProto of XLA, on the wire (module.hlo.pb) or as protobuf's text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/hlo/hlo.h"
#include "core/io/hlo/proto.h"
#include "core/io/wire.h"

/* Returns field 1 of @message, the module of an HloProto; the head of the file may cut it short. */
static PhSpan
first_part (PhSpan message)
{
  gsize at = 1;

  if (message.size < 4 || message.data[0] != 0x0a)
    return (PhSpan) { NULL, 0 };
  while (at < message.size && (message.data[at] & 0x80) != 0)
    at++;
  return (PhSpan) { message.data + at + 1, at + 1 < message.size ? message.size - at - 1 : 0 };
}

/* Recognises a module by its first fields: its name, the name of its entry, and a computation that begins with its own name and an
 * instruction (name, opcode). */
static gboolean
is_module (PhSpan message)
{
  PhWireField name, entry;
  PhSpan computation, instruction;
  gsize at = 0;

  if (!ph_wire_next (message, &at, &name) || name.id != 1 || name.type != PH_WIRE_BYTES || !ph_wire_next (message, &at, &entry)
      || entry.id != 2 || entry.type != PH_WIRE_BYTES || at + 2 >= message.size || message.data[at] != 0x1a)
    return FALSE;
  for (at++; at < message.size && (message.data[at] & 0x80) != 0;)
    at++;
  if (++at >= message.size)
    return FALSE;
  computation = (PhSpan) { message.data + at, message.size - at };
  at = 0;
  if (!ph_wire_next (computation, &at, &name) || name.id != 1 || name.type != PH_WIRE_BYTES || at + 2 >= computation.size
      || computation.data[at] != 0x12)
    return FALSE;
  for (at++; at < computation.size && (computation.data[at] & 0x80) != 0;)
    at++;
  if (++at >= computation.size)
    return FALSE;
  instruction = (PhSpan) { computation.data + at, computation.size - at };
  at = 0;
  return ph_wire_next (instruction, &at, &name) && name.id == 1 && name.type == PH_WIRE_BYTES
         && ph_wire_next (instruction, &at, &entry) && entry.id == 2 && entry.type == PH_WIRE_BYTES;
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = memchr (head, 0, size) == NULL ? g_strndup ((const char *) head, size) : NULL;

  if (text != NULL && ph_hlo_is_proto_text (text))
    return 92;
  if (g_str_has_suffix (name, ".hlo.pb"))
    return 92;
  return is_module ((PhSpan) { head, size }) || is_module (first_part ((PhSpan) { head, size })) ? 82 : 0;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (PhHlo) hlo = ph_hlo_new (source);
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  const guint8 *data;
  gsize size;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  return ph_hlo_read_proto (hlo, data, size, error) ? ph_hlo_build (hlo, error) : NULL;
}

/* clang-format off */
const PhFormat ph_format_hlo_proto = {
  .name = "hlo-proto",
  .title = "HLO module of XLA (protobuf)",
  .patterns = (const char *const[]){ "*.hlo.pb", NULL },
  .mime = "application/x-hlo",
  .probe = probe,
  .read = read_model,
  .parts = TRUE,
  .dialect = &ph_dialect_hlo,
};
/* clang-format on */
