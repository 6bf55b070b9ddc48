/* transformer.h: a made-up transformer of any size, for benchmarks: 50 operators a block, residuals, scopes in the names.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"

G_BEGIN_DECLS

/* About @n_nodes nodes. @mask: one value that feeds every block. @scoped: names such as "/h.3/attn/MatMul". */
PhModel *ph_bench_transformer (guint n_nodes, gboolean mask, gboolean scoped);

G_END_DECLS
