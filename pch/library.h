/* library.h: what most files of the library include, compiled once where meson is told -Dprecompiled=true. No file relies on it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PH_PCH_LIBRARY
#define PH_PCH_LIBRARY

#include <math.h>
#include <string.h>

#include <gio/gio.h>

#endif
