/* proto-schema.h: the messages of HloProto, for its text form. Private to core/io/hlo.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/wire.h"

G_BEGIN_DECLS

extern const PhTextMessage ph_hlo_proto_schema, ph_hlo_module_schema, ph_hlo_gather_schema, ph_hlo_scatter_schema,
    ph_hlo_convolution_schema;

/* PrimitiveType: "f32" is 11. Of other numbers "invalid"; of other words -1. */
const char *ph_hlo_element_name (guint64 number);
gint64 ph_hlo_element_number (const char *word);

G_END_DECLS
