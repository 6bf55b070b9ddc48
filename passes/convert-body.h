/* convert-body.h: filling the bodies of the Loops and Ifs that rules build. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert.h"
#include "passes/loop.h"

G_BEGIN_DECLS

/* Takes the error of a body's own builder. */
gboolean ph_convert_finish_body (PhConvert *l, PhBuilder *in_body);
/* Outputs of a body are computed in it, and each is another value: if not, an Identity is put between. */
void ph_convert_set_output (PhConvert *l, PhGraph *body, guint index, PhValue *value);
/* The type of what a Loop gathers of @element in @turns turns (nullable: unknown). NULL: it is not known, or has too many axes. */
const PhType *ph_convert_gathered_type (const PhValue *element, const PhValue *turns);
/* The rule of while: operands, "cond" and "body" with an input for each. */
gboolean ph_convert_while (PhConvert *l, PhValue **out);

G_END_DECLS
