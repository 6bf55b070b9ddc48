/* driver-private.h: what the files of the driver share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tests/ui/driver.h"

G_BEGIN_DECLS

void driver_log_init (void);       /* from now on every warning ends the test and says where it comes from */
void driver_log_arm  (void);       /* at the start of each test */

/* At the end of all tests this is to be gone too. */
void driver_watch    (gpointer object);
/* Runs the main loop until nothing watched lives, nothing is queued, no thread computes and no helper runs; says what does after a minute. */
void driver_rest     (void);

G_END_DECLS
