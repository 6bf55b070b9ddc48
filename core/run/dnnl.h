/* dnnl.h: primitives of oneDNN, prepared once for a node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include "core/ops/onnx/window.h"
#include "core/run/kernels.h"

G_BEGIN_DECLS

#define PH_DNNL_SPATIAL 3 /* dimensions at most */
#define PH_DNNL_ARGS    8

#define PH_NO_PRIMITIVE "oneDNN has no primitive for it"
#define PH_NOT_FLOAT    "the inputs are not all float32, or are empty" /* what ph_dnnl_is_float() says no to */

typedef struct
{
  dnnl_memory_desc_t given, wished;
} PhDnnlOrders;

/* One argument: where it comes from, and in which order the primitive likes it. */
typedef struct
{
  int index;                /* DNNL_ARG_SRC, ...                                                        */
  guint input;              /* of the kernel; that of the result is not used                             */
  PhDnnlOrders *orders;     /* (nullable) owned; once the primitive is made, only of weights that are to be packed */
  dnnl_memory_t from, to;   /* from: (nullable) only where it is reordered                               */
  dnnl_primitive_t reorder; /* (nullable)                                                                */
  gboolean constant;        /* a weight                                                                  */
  gboolean packs;           /* that is put in order once, and kept                                       */
  gboolean plain;           /* @given is of its rows one after the other, whatever order it has          */
  PhTensor *packed_of;      /* (nullable) owned                                                          */
  gpointer packed;          /* (nullable) the elements of packed_of, as wished                           */
  gsize bytes;              /* of @packed, or of the room that a reorder needs                           */
} PhDnnlArg;

/* A primitive with its arguments; the last one is the result, output 0 of the kernel. */
typedef struct
{
  dnnl_primitive_t primitive;
  guint n;
  PhDnnlArg args[PH_DNNL_ARGS];
  dnnl_memory_t scratchpad;
  gsize scratch;  /* bytes                                                                     */
  gboolean alone; /* a convolution so small that one thread makes and runs it                  */
  guint rank;     /* of the result                                                             */
  gint64 dims[2 + PH_DNNL_SPATIAL];
  PhMemoryFormat layout; /* of the result                                                             */
} PhDnnl;

dnnl_engine_t ph_dnnl_engine (void);
gboolean ph_dnnl_adds_in_32_bits (void);            /* products of bytes are exact      */
gboolean ph_dnnl_is_float (const PhTensor *tensor); /* a float tensor that is not empty */
void ph_dnnl_plain (dnnl_memory_desc_t *desc, guint rank, const gint64 *dims);
/* The same shape in whatever order oneDNN likes best. */
dnnl_memory_desc_t ph_dnnl_any (const dnnl_memory_desc_t *desc);

PhDnnl *ph_dnnl_new (void);
void ph_dnnl_free (gpointer dnnl);
/* Input @input of @kernel is argument @index. (transfer none) */
PhDnnlArg *ph_dnnl_add (PhDnnl *dnnl, PhKernel *kernel, int index, guint input);
void ph_dnnl_result (PhDnnl *dnnl, guint rank, const gint64 *dims);
/* The same of row-major tensors, whose axes oneDNN sees in another order. */
PhDnnlArg *ph_dnnl_add_as (PhDnnl *dnnl, PhKernel *kernel, int index, guint input, const dnnl_memory_desc_t *given);
void ph_dnnl_result_as (PhDnnl *dnnl, int index, guint rank, const gint64 *dims, const dnnl_memory_desc_t *given);
/* Makes the primitive of @op, for as many threads as there are now; FALSE: oneDNN has none. @forward: (nullable) of a gradient. */
gboolean ph_dnnl_make (PhDnnl *dnnl, const_dnnl_op_desc_t op, const_dnnl_primitive_desc_t forward);
/* Computes output 0; FALSE: it could not, and there is none. */
gboolean ph_dnnl_run (PhKernel *kernel, gpointer dnnl);
/* Runs the primitive alone: the memory of each argument has its elements, as wished. */
gboolean ph_dnnl_execute (PhDnnl *dnnl);
/* For dnnl-pack.c: @arg's primitive that reorders; the same run. */
gboolean ph_dnnl_make_reorder (PhDnnlArg *arg, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to);
gboolean ph_dnnl_reorder (PhDnnlArg *arg, gpointer from, gpointer to);
/* Puts the weight @tensor in order, unless it is what was put in order last. */
gboolean ph_dnnl_pack (PhDnnlArg *arg, PhTensor *tensor);
/* The same of @bytes, for an argument that does not pack of itself. @weight: (nullable) noted as what was put in order. */
gboolean ph_dnnl_pack_bytes (PhDnnlArg *arg, PhTensor *weight, gpointer bytes);
void ph_dnnl_unpack (PhDnnlArg *arg);
/* What it keeps of weights in oneDNN's order, in bytes. */
gsize ph_dnnl_packed_of (gpointer dnnl);

/* Windows of convolutions and pooling, as oneDNN wants them. */
typedef struct
{
  dnnl_dims_t kernel, strides, dilations, before, after;
} PhDnnlGeometry;
gboolean ph_dnnl_geometry (const PhWindow *window, PhDnnlGeometry *geometry); /* FALSE: not for oneDNN */

G_END_DECLS
