/* application.h: the program peephole: command line, style, accelerators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define PH_TYPE_APPLICATION (ph_application_get_type ())
G_DECLARE_FINAL_TYPE (PhApplication, ph_application, PH, APPLICATION, AdwApplication)

PhApplication *ph_application_new (void);

G_END_DECLS
