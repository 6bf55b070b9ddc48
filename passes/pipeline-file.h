/* pipeline-file.h: what a pipeline finds in a file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/model.h"

G_BEGIN_DECLS

/* What passes, which know ONNX's operators, find in a file. */
typedef struct
{
  int opset;        /* of ONNX's operators; 0: there are none                                                 */
  gboolean known;   /* some are ONNX's own, or another dialect's that passes know                               */
  gboolean foreign; /* convert-to-onnx has rules for some of its operators: it goes first                     */
  const char *idle; /* (nullable) no other pass knows any of them: a clause that says so, and what can be run */
} PhPipelineFile;
PhPipelineFile ph_pipeline_look (PhModel *model);

G_END_DECLS
