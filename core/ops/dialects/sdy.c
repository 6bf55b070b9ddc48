/* sdy.c: the operators of Shardy, which say how tensors are spread over devices.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

extern const PhForeignOp ph_sdy_ops[];
/* clang-format off */
const PhForeignOp        ph_sdy_ops[] = {
  { "all_gather", PH_FAMILY_CONTROL, .doc = "Gathers the parts of a tensor along axes of the mesh." },
  { "all_reduce", PH_FAMILY_CONTROL, .doc = "Sums a tensor over axes of the mesh." },
  { "all_slice", PH_FAMILY_CONTROL, .doc = "Takes this device's part of a tensor." },
  { "all_to_all", PH_FAMILY_CONTROL, .doc = "Moves axes of the mesh from one dimension of a tensor to another." },
  { "collective_permute", PH_FAMILY_CONTROL, .doc = "Sends the parts of a tensor to other devices." },
  { "constant", PH_FAMILY_MOVEMENT, .doc = "A tensor with given values." },
  { "manual_computation", PH_FAMILY_CONTROL, .main_attrs = { "manual_axes" }, .doc = "A body that each device runs on its part of the operands." },
  { "mesh", PH_FAMILY_CONTROL, .main_attrs = { "sym_name", "mesh" }, .doc = "Declares the devices and how they are arranged." },
  { "named_computation", PH_FAMILY_CONTROL, .main_attrs = { "name" }, .doc = "A part of the program that has a name." },
  { "propagation_barrier", PH_FAMILY_CONTROL, .doc = "The operand, beyond which a sharding does not spread." },
  { "reshard", PH_FAMILY_CONTROL, .main_attrs = { "sharding" }, .doc = "The operand, spread over devices in another way." },
  { "return", PH_FAMILY_CONTROL, .doc = "Ends a body with its results." },
  { "sharding_constraint", PH_FAMILY_CONTROL, .main_attrs = { "sharding" }, .doc = "The operand, which is to be spread over devices so." },
  { "sharding_group", PH_FAMILY_CONTROL, .doc = "Tensors that are to be spread over devices alike." },
  { NULL }
};
/* clang-format on */

const PhDialect ph_dialect_sdy = { .domain = "sdy", .title = "Shardy", .foreign = ph_sdy_ops, .rules = "" };
