/* kinds.h: forward declarations of the IR's types, and the ids of nodes, values and graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/error.h"
#include "core/graph/attr.h"
#include "core/graph/where.h"
#include "core/intern.h"

G_BEGIN_DECLS

/* The structs are open for reading. Only the functions of edit.h may write them: that is what makes every change an
 * edit of the journal. Not thread-safe: a worker works on its own clone (ph_model_clone). */
typedef struct _PhModel PhModel;
typedef struct _PhGraph PhGraph;
typedef struct _PhNode PhNode;
typedef struct _PhValue PhValue;
typedef struct _PhOp PhOp;           /* core/ops/op.h       */
typedef struct _PhHistory PhHistory; /* core/graph/history.h */
typedef struct _PhFunction PhFunction;
typedef guint32 PhId; /* nodes, values and graphs count from 1 in one sequence; never reused */

#define PH_NO_ID ((PhId) 0)
/* Of operators that Peephole makes itself. */
#define PH_OWN_DOMAIN "peephole"

typedef enum
{
  PH_ROLE_FORWARD,
  PH_ROLE_BACKWARD,
  PH_ROLE_COMMUNICATION
} PhRole;

G_END_DECLS
