/* bytecode-sample.h: a small program of StableHLO, assembled in each version of MLIR's bytecode.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is assembled:
 *   func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
 *     %0 = constant dense<[[1, 2, 3], [4, 5, 6]]>    %1 = constant dense<0>
 *     %2 = add %arg0, %0                             %3 = reduce(%2, %1) dimensions = [1] { add }      return %3 }           */
/* (transfer full) @version: of the bytecode, from 0 on. */
GBytes *bytecode_assemble (guint version);
/* What jax.export makes of it. (transfer full) */
GBytes *bytecode_assemble_export (void);
/* A module with lists in lists, each of the one before 2,000 times, @depth of them. (transfer full) */
GBytes *bytecode_assemble_long (guint depth);

G_END_DECLS
