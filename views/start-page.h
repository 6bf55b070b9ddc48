/* start-page.h: what a tab without a model offers: to open one, those that were opened last, and the examples.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PH_TYPE_START_PAGE (ph_start_page_get_type ())
G_DECLARE_FINAL_TYPE (PhStartPage, ph_start_page, PH, START_PAGE, GtkWidget)

G_END_DECLS
