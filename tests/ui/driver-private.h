/* driver-private.h: what the files of the driver share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <X11/Xlib.h>

#include "tests/ui/driver.h"

G_BEGIN_DECLS

extern Display *driver_display; /* for events only: GDK has a connection of its own */
Window driver_xid (GtkNative *native);
/* What has been sent is here, and nothing that can be done now is left: no event, no idle source, no timer that is due. */
void driver_drain (void);
void driver_frame (void); /* waits until the window has painted one */

void driver_log_init (void); /* from now on every warning ends the test and says where it comes from */
void driver_log_arm (void);  /* at the start of each test */

/* At the end of all tests this should be gone: what is not is printed, and with PEEPHOLE_UI_STRICT an error. */
void driver_watch (gpointer object);
/* Runs the main loop until nothing is queued, no thread computes and no helper runs; fails with what does after a minute. */
void driver_rest (void);

G_END_DECLS
