/* stays.h: the nodes that a conversion leaves as they are, and the reasons, each reason once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/run.h"

G_BEGIN_DECLS

typedef struct _PhStays PhStays;

PhStays *ph_stays_new (void);
void ph_stays_free (PhStays *stays);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhStays, ph_stays_free)

void ph_stays_clear (PhStays *stays);
gboolean ph_stays_any (PhStays *stays);
/* An operator named @name stays for @reason. */
void ph_stays_add (PhStays *stays, const char *name, const char *reason);
/* The step's note: "Add, Mul and Sub stay: REASON". */
void ph_stays_note (PhStays *stays, PhPassRun *run);

G_END_DECLS
