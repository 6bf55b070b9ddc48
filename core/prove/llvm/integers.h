/* integers.h: whether two of LLVM's functions return the same integers and leave the same memory.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/trial.h"

G_BEGIN_DECLS

/* What @before returns, and leaves behind its parameters' pointers, where that is defined, @after has to return and leave, on inputs that are
 * made up. Few bits of input are tried in full, which proves it. NULL: one of them has more than instructions on integers and memory, which
 * @why says (static). (transfer full) */
PhTrial *ph_integers_try (const PhGraph *before, const PhGraph *after, guint64 seed, const char **why);

G_END_DECLS
