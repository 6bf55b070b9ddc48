/* document-type.h: the name of the type, for the headers of its concerns, all of which document.h includes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"

G_BEGIN_DECLS

#define PH_TYPE_DOCUMENT (ph_document_get_type ())
G_DECLARE_FINAL_TYPE (PhDocument, ph_document, PH, DOCUMENT, GObject)

G_END_DECLS
