/* made-from.h: where a compiler says which nodes of an earlier snapshot a node comes from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* An attribute that readers set: the names of the values of those nodes, separated by ", ". No guess contradicts it. */
#define PH_ATTR_FROM "made_from"
