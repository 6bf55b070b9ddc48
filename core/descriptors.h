/* descriptors.h: the standard descriptors of a program that was started without them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Takes the numbers 0, 1 and 2 that are closed, so that no file or pipe that is opened later gets one of them and is read as the standard
 * input, or written to by an error message. Reading and writing them still fails. To be called first in main(). */
void ph_descriptors_reserve (void);

G_END_DECLS
