/* rule.h: all that a rule is written with.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/facts.h"
#include "passes/pass.h"
