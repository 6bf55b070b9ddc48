/* recent-files.h: the models that were opened before, the newest first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* That are still there, at most @most. (transfer full) (element-type GtkRecentInfo) */
GPtrArray *ph_recent_files (guint most);

G_END_DECLS
