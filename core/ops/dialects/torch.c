/* torch.c: the operators of FX graphs that are not ATen's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

static const PhForeignOp operators[] = {
  { "call_module", PH_FAMILY_CONTROL, NULL, { "target" }, "Calls a part of the module, which is not shown." },
  { "call_method", PH_FAMILY_CONTROL, NULL, { "target" }, "Calls a method of its first operand." },
  { "get_attr", PH_FAMILY_CONSTANT, NULL, { "target" }, "A weight of the module." },
  { NULL },
};

const PhDialect ph_dialect_torch = { .domain = "torch", .title = "PyTorch", .foreign = operators, .rules = "torch" };
