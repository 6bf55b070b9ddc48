/* hlo-proto.c: HloProto and HloModuleProto of XLA, on the wire (module.hlo.pb) or as protobuf's text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/hlo/hlo.h"
#include "core/io/hlo/proto.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = memchr (head, 0, size) == NULL ? g_strndup ((const char *) head, size) : NULL;

  if (text != NULL && ph_hlo_is_proto_text (text))
    return 92;
  return g_str_has_suffix (name, ".hlo.pb") ? 92 : 0;
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
  .dialect = &ph_dialect_hlo,
};
/* clang-format on */
