/* convert-tensorflow-lists.h: TensorFlow's lists of tensors, loops and branches. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert-foreign.h"

G_BEGIN_DECLS

extern const PhConvertRule ph_convert_tensorflow_lists[], ph_convert_tensorflow_branches[];

/* The node that makes @list with one more element, or with another element at an index. */
typedef struct
{
  PhNode *node;
  PhValue *list, *index, *element; /* @index: (nullable) NULL: behind the last one         */
  gboolean grows;                  /* an index past the last element makes the list longer */
} PhTfListWrite;

PhValue *ph_tf_origin (PhValue *value); /* what it is a copy of (nullable) */
gboolean ph_tf_list_write (PhValue *value, PhTfListWrite *write);
/* The node that made an empty or a reserved list, which stays until the list is used. (nullable) */
const PhNode *ph_tf_new_list (PhValue *value);
PhValue *ph_tf_list_length (PhConvert *l, const PhNode *list); /* int64[1] */
gboolean ph_tf_is_untyped (const PhValue *list);               /* it has no type, or only the name of one */
/* Zeros for the list that @list makes. @like: (nullable) an element. NULL: the size is not known; l->stays says so. */
PhValue *ph_tf_list_zeros (PhConvert *l, const PhNode *list, PhValue *like);
PhValue *ph_tf_list_with (PhConvert *l, PhValue *list, PhValue *index, PhValue *element, gboolean grows);
/* With zeros behind its elements up to @length, an int64[1]. @grows: it may have more. */
PhValue *ph_tf_list_padded (PhConvert *l, PhValue *list, PhValue *length, gboolean grows);

/* Before the bodies of a While or If are converted: gives their inputs the types of the operands. */
gboolean ph_tf_is_control (const PhNode *node);
void ph_tf_enter (PhPassRun *run, PhNode *node);
/* Puts Ifs in place of the conditionals of TensorFlow 1. */
void ph_tf_close_branches (PhPassRun *run);

G_END_DECLS
