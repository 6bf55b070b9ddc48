/* window.h: what most files of the window include, compiled once where meson is told -Dprecompiled=true. No file relies on it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PH_PCH_WINDOW
#define PH_PCH_WINDOW

#include <math.h>
#include <string.h>

#include <gtk/gtk.h>
#include <json-glib/json-glib.h>

#endif
