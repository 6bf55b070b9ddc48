/* export-dialog.h: the picture as a file: asks for format, part and size, shows what will be written, and writes it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/document-view.h"

G_BEGIN_DECLS

#define PH_TYPE_EXPORT_DIALOG (ph_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (PhExportDialog, ph_export_dialog, PH, EXPORT_DIALOG, AdwWindow)

void ph_export_dialog_present (GtkWindow *parent, PhDocumentView *view);
/* What the button does once a file was chosen; its ending says the format. */
void ph_export_dialog_save (PhExportDialog *dialog, const char *path);

G_END_DECLS
