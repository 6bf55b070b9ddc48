/* intrinsics.h: LLVM's intrinsic functions on integers. Private to core/prove/llvm/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 bits;
  guint8 width;
  guint object; /* of a pointer: what it points into (memory.h), at byte @bits; else 0 */
  gboolean poison;
  gboolean overflow; /* of a function .with.overflow */
} PhInteger;

static inline guint64
ph_integer_mask (guint width)
{
  return width >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << width) - 1;
}

static inline gint64
ph_integer_signed (const PhInteger *n)
{
  return n->width >= 64 ? (gint64) n->bits : (gint64) (n->bits << (64 - n->width)) >> (64 - n->width);
}

#define PH_LLVM_LIFETIME "llvm.lifetime." /* start or end of a stack slot, the second operand: what it holds is lost */

/* How many operands the function @callee ("llvm.smax.i32") takes; 0: it is none that can be evaluated. */
guint ph_intrinsic_operands (const char *callee);
/* Sets @r, whose width is that of the result or of its first part, but for the poison of its operands. FALSE: undefined behaviour. */
gboolean ph_intrinsic_evaluate (const char *callee, const PhInteger *in, PhInteger *r);

G_END_DECLS
