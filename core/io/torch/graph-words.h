/* graph-words.h: the words of TorchScript's graphs as text: names of values, what stands in brackets, line numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/torch/torch.h"

G_BEGIN_DECLS

/* Where the reader is in the text. */
typedef struct
{
  PhTorch *torch;
  const char *at, *end;
  guint line;  /* of @at, from 1 */
  guint depth; /* of the bodies around it */
} PhTorchWords;

/* Sets the reader's error, with the line, unless it has one. (returns FALSE) */
gboolean ph_torch_words_fail (PhTorchWords *r, const char *what);
/* Goes over white space and comments, and over @word if it follows. */
gboolean ph_torch_words_take (PhTorchWords *r, const char *word);
/* As take, but fails where @word does not follow. */
gboolean ph_torch_words_need (PhTorchWords *r, const char *word);
/* The text before one of @stops outside of brackets and strings. (transfer full) */
char *ph_torch_words_until (PhTorchWords *r, const char *stops);
/* The x.1 of %x.1. (transfer full) (nullable) */
char *ph_torch_words_name (PhTorchWords *r);
/* "%a : Tensor, %b : int": appends names and types, which may be "". Always TRUE: so it stands between what may fail. */
gboolean ph_torch_words_typed_names (PhTorchWords *r, GPtrArray *names, GPtrArray *types, const char *stops);

G_END_DECLS
