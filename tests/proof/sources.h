/* sources.h: the models that proofs are tried on: what the fixtures of the rules have, and the bundled examples.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

typedef struct
{
  char *name;         /* "fixtures/cse/cse-many", "examples/attention"                      */
  const PhPass *pass; /* (nullable) of a fixture                                            */
  char **arguments;   /* (nullable) of the pass                                             */
  PhExactness allow;
  GHashTable *ranges;   /* input name -> SampleRange                                          */
  char *before, *after; /* text; @after: (nullable)                                           */
  guint n_passes;       /* of O3, that an example has behind it                               */
  char *file;           /* (nullable) a model that is neither                                 */
  guint64 seed;         /* or 0, or of a random model                                         */
} Source;

/* (element-type Source), in order of their names. */
GPtrArray *sources_all (void);
/* So many random models of smooth functions, from @seed on, which is above 0. */
GPtrArray *sources_random (guint n, guint64 seed);
/* Each model.onnx in @folder and the folders in it, as sources that are files. */
GPtrArray *sources_in (const char *folder);
/* At the newest opset, types inferred; NULL: it is older and cannot be brought there. */
PhModel *source_parse (const Source *source, const char *text);
/* What the source comes to: after its pass, or after as many passes of O3. (nullable) */
PhModel *source_model (const Source *source);
