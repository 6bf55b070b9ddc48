/* prims.c: PyTorch's primitive operators, into which ATen decomposes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

const PhDialect ph_dialect_prims = { .domain = "prims", .title = "PyTorch prims", .rules = "prims" };
