/* higher-order.c: PyTorch's operators that take graphs, such as cond and while_loop.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

const PhDialect ph_dialect_higher_order = { .domain = "higher_order", .title = "PyTorch higher-order", .rules = "higher_order" };
