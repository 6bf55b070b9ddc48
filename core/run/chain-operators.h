/* chain-operators.h: which operators chains have loops for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

G_BEGIN_DECLS

enum
{
  PH_CHAIN_UNARY,
  PH_CHAIN_BINARY,
  PH_CHAIN_WHERE
};

/* Which loop, and the attributes that are its parameters. */
typedef struct
{
  const PhOp *op;
  guint8 kind, lane;
  struct
  {
    const char *name; /* (nullable) */
    float fallback;
  } p[2];
} PhChainOperator;

const PhChainOperator *ph_chain_operator (const PhNode *node); /* (nullable) */

G_END_DECLS
