/* mhlo.c: the operators of MHLO, the predecessor of StableHLO, which are the same.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

extern const PhForeignOp ph_stablehlo_ops[];

const PhDialect ph_dialect_mhlo = { .domain = "mhlo", .title = "MHLO", .foreign = ph_stablehlo_ops, .rules = "" };
