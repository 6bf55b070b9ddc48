/* proto.h: HloModuleProto as the modules of hlo.h. Private to the reader of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/hlo/hlo.h"

G_BEGIN_DECLS

/* Behind comments it begins with a field of HloProto or HloModuleProto. */
gboolean ph_hlo_is_proto_text (const char *text);
/* Either message, on the wire or as text. */
gboolean ph_hlo_read_proto (PhHlo *hlo, const guint8 *data, gsize size, GError **error);

G_END_DECLS
