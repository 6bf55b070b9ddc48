/* script-index.h: what stands in the brackets of x[...].
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

typedef enum
{
  PH_SCRIPT_INDEX_SLICE,
  PH_SCRIPT_INDEX_PICK,
  PH_SCRIPT_INDEX_ARRAY,
  PH_SCRIPT_INDEX_MASK,
  PH_SCRIPT_INDEX_NEW_AXIS,
  PH_SCRIPT_INDEX_REST
} PhScriptIndexKind;

typedef struct
{
  PhScriptIndexKind kind;
  const PhPy *at;
  PhScriptValue *parts[3]; /* owned, nullable: of a SLICE its bounds, else [0] the index */
} PhScriptIndex;

/* (element-type PhScriptIndex) Whether a slice stands between arrays and integers: their dimensions come first then. */
gboolean ph_script_is_scattered (GArray *indices);
/* x[i, j] of arrays and integers that are broadcast together; the slices among @indices were taken. (transfer full) */
PhScriptValue *ph_script_take_pairs (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, GArray *indices, GError **error);

G_END_DECLS
