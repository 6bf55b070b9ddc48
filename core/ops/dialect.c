/* dialect.c: the sets of operators that Peephole knows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

#include "core/ops/op.h"

const PhDialect ph_dialect_onnx = { .domain = "", .title = "ONNX", .newest = PH_OPSET_NEWEST };
