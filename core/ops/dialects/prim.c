/* prim.c: the operators of TorchScript other than tensor operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

static const PhForeignOp operators[] = {
  { "If", PH_FAMILY_CONTROL, NULL, { NULL }, "One of two bodies, by a condition." },
  { "Loop", PH_FAMILY_CONTROL, NULL, { NULL }, "Runs its body a number of times and while a condition holds." },
  { "Constant", PH_FAMILY_CONSTANT, NULL, { "value" }, "A constant." },
  { "GetAttr", PH_FAMILY_MOVEMENT, NULL, { "name" }, "A part of a module." },
  { "SetAttr", PH_FAMILY_MOVEMENT, NULL, { "name" }, "Sets a part of a module." },
  { "ListConstruct", PH_FAMILY_MOVEMENT, NULL, { NULL }, "A list of its operands." },
  { "TupleConstruct", PH_FAMILY_MOVEMENT, NULL, { NULL }, "A tuple of its operands." },
  { "DictConstruct", PH_FAMILY_MOVEMENT, NULL, { NULL }, "A dictionary of its operands." },
  { "TupleUnpack", PH_FAMILY_MOVEMENT, NULL, { NULL }, "The members of a tuple." },
  { "ListUnpack", PH_FAMILY_MOVEMENT, NULL, { NULL }, "The members of a list." },
  { "TupleIndex", PH_FAMILY_MOVEMENT, NULL, { NULL }, "One member of a tuple." },
  { "CallMethod", PH_FAMILY_CONTROL, NULL, { "name" }, "Calls a method of a module." },
  { "CallFunction", PH_FAMILY_CONTROL, NULL, { NULL }, "Calls a function." },
  { "NumToTensor", PH_FAMILY_MOVEMENT, NULL, { NULL }, "A number as a tensor." },
  { "RaiseException", PH_FAMILY_CONTROL, NULL, { NULL }, "Stops with an error." },
  { "Print", PH_FAMILY_CONTROL, NULL, { NULL }, "Prints its operands." },
  { "shape", PH_FAMILY_MOVEMENT, NULL, { NULL }, "The shape." },
  { "dtype", PH_FAMILY_MOVEMENT, NULL, { NULL }, "The element type." },
  { "device", PH_FAMILY_MOVEMENT, NULL, { NULL }, "The device." },
  { "Uninitialized", PH_FAMILY_CONSTANT, NULL, { NULL }, "A value that is never used." },
  { NULL },
};

const PhDialect ph_dialect_prim = { .domain = "prim", .title = "TorchScript prim", .foreign = operators, .rules = "prim" };
