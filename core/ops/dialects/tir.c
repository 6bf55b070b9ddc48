/* tir.c: the statements of TVM's tensor programs (https://tvm.apache.org/docs/deep_dive/tensor_ir).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

static const PhForeignOp operators[] = {
  { "for", PH_FAMILY_CONTROL, NULL, { "vars", "over" }, "Runs its body for each value of its variables; its kind says how." },
  { "while", PH_FAMILY_CONTROL, NULL, { "text" }, "Runs its body while its condition holds." },
  { "if", PH_FAMILY_CONTROL, NULL, { "text" }, "One of two bodies, by a condition." },
  { "block", PH_FAMILY_CONTROL, NULL, { "name" }, "A block of computation, the unit that schedules transform." },
  { "sblock", PH_FAMILY_CONTROL, NULL, { "name" }, "A block of computation, the unit that schedules transform." },
  { "init", PH_FAMILY_CONTROL, NULL, { NULL }, "What a reduction begins with." },
  { "store", PH_FAMILY_MOVEMENT, NULL, { "text" }, "Writes an element of a buffer: its result is the buffer afterwards." },
  { "axis.spatial", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable of a block whose values are independent." },
  { "axis.reduce", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable of a block, over which it reduces." },
  { "axis.S", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable of a block whose values are independent." },
  { "axis.R", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable of a block, over which it reduces." },
  { "axis", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable of a block." },
  { "axis.opaque", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable whose values must come in order." },
  { "axis.scan", PH_FAMILY_CONSTANT, NULL, { "text" }, "An iteration variable of a scan." },
  { "match_buffer", PH_FAMILY_MOVEMENT, NULL, { "text" }, "A buffer at the address of a parameter, or a part of another." },
  { "alloc_buffer", PH_FAMILY_CONSTANT, NULL, { "text" }, "A buffer of the kernel's own." },
  { "sblock_alloc_buffer", PH_FAMILY_CONSTANT, NULL, { "text" }, "A buffer of the block's own." },
  { "decl_buffer", PH_FAMILY_CONSTANT, NULL, { "text" }, "A buffer in memory that is there already." },
  { "allocate", PH_FAMILY_CONSTANT, NULL, { "text" }, "Reserves memory." },
  { "let", PH_FAMILY_CONSTANT, NULL, { "text" }, "Names an expression." },
  { "return", PH_FAMILY_CONTROL, NULL, { "text" }, "Returns from the kernel." },
  { "evaluate", PH_FAMILY_CONTROL, NULL, { "text" }, "Computes an expression for its effect." },
  { "attr", PH_FAMILY_CONSTANT, NULL, { "text" }, "Attributes of the statements inside." },
  { "launch_thread", PH_FAMILY_CONTROL, NULL, { "text" }, "A thread's index on the device." },
  { "assert", PH_FAMILY_CONTROL, NULL, { "text" }, "Stops unless its condition holds." },
  { "statement", PH_FAMILY_CONTROL, NULL, { "text" }, "A statement that is shown as it is written." },
  { "call_extern", PH_FAMILY_CONTROL, NULL, { "text" }, "Calls a C function." },
  { "tvm_storage_sync", PH_FAMILY_CONTROL, NULL, { "text" }, "Waits until all threads have come here." },
  { NULL },
};

const PhDialect ph_dialect_tir = { .domain = "tir", .title = "TVM TIR", .foreign = operators };
