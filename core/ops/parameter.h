/* parameter.h: which constants are parameters, by which gradients are asked for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"

G_BEGIN_DECLS

/* A float initializer that came with the file. */
gboolean ph_value_is_parameter (const PhValue *value);
/* A constant that nothing reads but settings (the ratio of a Dropout, the scales of a Resize): no parameter. */
gboolean ph_value_is_setting (const PhValue *value);

G_END_DECLS
