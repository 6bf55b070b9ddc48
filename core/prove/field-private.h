/* field-private.h: what the files of the finite field share: its numbers, tensors of them, and the walk over a graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/expand.h"
#include "core/ops/onnx/window.h"
#include "core/ops/op-list.h"
#include "core/prove/field-sizes.h"
#include "core/prove/field.h"

G_BEGIN_DECLS

/* ── numbers ── */

/* p = 2 q + 1, both prime; p = 7 mod 8 and q = 7 mod 8, so that 2 has a root in both. Signs that multiply are read modulo
 * other primes p = 23 mod 24, for which -1 is no square, but 2 and 3 are. */
#define PH_FIELD_USUAL_P 2147480927u
#define PH_FIELD_P       ph_field_p
#define PH_FIELD_Q       1073740463u

extern __thread guint32 ph_field_p __attribute__ ((tls_model ("initial-exec")));

/* A number, as it is modulo p and modulo q. The second part is for exponentials alone; 0 where they are not interpreted. */
typedef struct
{
  guint32 p, q;
} PhNum;

static inline guint32
ph_mod_add (guint32 a, guint32 b, guint32 m)
{
  const guint64 sum = (guint64) a + b;

  return (guint32) (sum >= m ? sum - m : sum);
}

static inline guint32
ph_mod_neg (guint32 a, guint32 m)
{
  return a == 0 ? 0 : m - a;
}

static inline PhNum
ph_num_add (PhNum a, PhNum b)
{
  return (PhNum) { ph_mod_add (a.p, b.p, PH_FIELD_P), ph_mod_add (a.q, b.q, PH_FIELD_Q) };
}

static inline PhNum
ph_num_neg (PhNum a)
{
  return (PhNum) { ph_mod_neg (a.p, PH_FIELD_P), ph_mod_neg (a.q, PH_FIELD_Q) };
}

static inline PhNum
ph_num_sub (PhNum a, PhNum b)
{
  return ph_num_add (a, ph_num_neg (b));
}

static inline PhNum
ph_num_mul (PhNum a, PhNum b)
{
  const guint64 p = (guint64) a.p * b.p;

  /* a constant divisor is quick */
  return (PhNum) { (guint32) (PH_FIELD_P == PH_FIELD_USUAL_P ? p % PH_FIELD_USUAL_P : p % PH_FIELD_P),
                   (guint32) ((guint64) a.q * b.q % PH_FIELD_Q) };
}

static inline guint64
ph_mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  hash = (hash ^ (hash >> 29)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  return hash ^ (hash >> 32);
}

guint32 ph_mod_pow (guint32 base, guint64 exponent, guint32 m);
/* A prime p = 23 mod 24 below 2^31, the @n-th of those that @seed tells. */
guint32 ph_field_prime (guint64 seed, guint n);
PhNum ph_num_int (gint64 number);

/* ── tensors ── */

/* The elements of one value at one random point. */
typedef struct _PhFieldTensor PhFieldTensor;
struct _PhFieldTensor
{
  gatomicrefcount ref_count;
  PhTensor *known; /* (nullable) it depends on no variable: what it holds                       */
  PhDType dtype;
  guint rank;
  gsize count;
  guint32 *p, *q;       /* (nullable) owned, or @owner's; NULL: not needed yet, ask ph_field_parts()  */
  PhFieldTensor *owner; /* (nullable) (owned) whose elements these are, under another shape          */
  gboolean is_constant; /* of a model or a recipe, that will be met again                            */
  double over, under;   /* degree of numerator and denominator, at most                              */
  gint64 dims[];
};

/* How functions and constants are read; a pair is tried with the strictest reading first. */
/* clang-format off */
typedef enum
{
  PH_FIELD_EXP       = 1 << 0, /* exp (x) = 4^x                                                             */
  PH_FIELD_RECOGNISE = 1 << 1, /* constants are the numbers that they round: 1/3, sqrt (2), 0.1, ...        */
  PH_FIELD_FOLD      = 1 << 2, /* before: what depends on constants alone is what executing it gives, rounding and all */
  PH_FIELD_EULER     = 1 << 3, /* signs by Euler's criterion, which knows that signs multiply: only modulo many
                                  primes, since 5 = 2 + 3 has the wrong sign modulo every other one           */
} PhFieldReading;
/* clang-format on */

/* Infinities and NaN are numbers of which nothing is known. */
enum
{
  PH_FIELD_INFINITY,
  PH_FIELD_MINUS_INFINITY,
  PH_FIELD_NAN
};

typedef struct
{
  gint64 over, under;
  PhNum number;
} PhFieldRatio; /* under 0: none */

/* One model, and its evaluation at one point. */
typedef struct
{
  PhModel *model;
  GCancellable *cancellable; /* (nullable)                                                                */
  GHashTable *shared;        /* (nullable) set of PhTensor that both sides have: they are what they hold  */
  GHashTable *variables;     /* (nullable) PhTensor -> which one: constants that stand for any numbers    */
  GHashTable *sizes;         /* (nullable) how many channels -> how many stand for them                   */
  GHashTable *expansions;    /* PhNode -> what it was spelt out as                                        */
  GPtrArray *kept;           /* the expansions: addresses of values must not come again                   */
  GHashTable *functions;     /* PhNode, the call -> PhModel                                               */
  GHashTable *known;         /* PhNode -> its outputs, where they depend on no variable                   */
  GHashTable *places;        /* PhNode -> where each element of its outputs comes from                    */
  PhFieldImages *images;     /* (nullable) not owned                                                      */
  GHashTable *recipes;       /* PhTensor -> whether its recipe gives it                                   */
  /* the point */
  guint reading; /* PhFieldReading                                                            */
  guint64 salt;
  PhNum special[3];       /* by PH_FIELD_INFINITY, ...                                                 */
  GHashTable *values;     /* PhValue -> PhFieldTensor (owned)                                          */
  PhFieldRatio ratios[8]; /* that were asked for last                                                  */
  guint depth, loops, recipe_depth;
  double work;     /* multiplications so far, about                                             */
  guint64 n_nodes; /* evaluated at all points                                                   */
  /* what was met at it */
  guint met;         /* readings that could have made a difference                                */
  gboolean bad_sign; /* Euler's criterion gives a constant another sign than it has               */
  gboolean redraw;   /* a division by 0: another point is wanted                                  */
  gboolean used_recipe, used_recognised;
  gboolean salted;   /* a constant was met that is another number at each point                   */
  double hashed;     /* elements of uninterpreted functions                                       */
  gsize least_signs; /* of the smallest tensor whose elements' signs were drawn; G_MAXSIZE: none  */
  char *why;         /* (nullable) what stands in the way                                         */
} PhField;

/* A node being evaluated. */
typedef struct
{
  PhField *field;
  const PhNode *node;
  guint n_in, n_out;
  PhFieldTensor **in;  /* (nullable elements) not owned                                             */
  PhFieldTensor **out; /* to be filled with owned references                                        */
} PhFieldNode;

typedef gboolean (*PhFieldRule) (PhFieldNode *self, gconstpointer data);

/* FALSE, with the reason. */
gboolean ph_field_fail (PhFieldNode *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
PhFieldTensor *ph_field_in (PhFieldNode *self, guint i); /* (nullable)                 */
PhTensor *ph_field_known (PhFieldNode *self, guint i);   /* (nullable) (transfer none) */
/* Known integers of input @i. (transfer full) (nullable) */
gint64 *ph_field_ints (PhFieldNode *self, guint i, gsize *n);
/* A tensor to be written; (transfer full); NULL: too large, and @field says so. */
PhFieldTensor *ph_field_tensor_new (PhField *field, PhDType dtype, guint rank, const gint64 *dims);
PhFieldTensor *ph_field_tensor_known (PhTensor *tensor); /* refs @tensor */
PhFieldTensor *ph_field_tensor_ref (PhFieldTensor *tensor);
void ph_field_tensor_unref (PhFieldTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFieldTensor, ph_field_tensor_unref)
/* The elements of a known tensor too. */
void ph_field_parts (PhField *field, PhFieldTensor *tensor);
/* What @field finds that @tensor is, where it is known: TRUE. Else it is to be noted when it was found,
 * with what @field met at it alone. (field-image.c) */
gboolean ph_field_image_find (PhField *field, PhFieldTensor *tensor);
void ph_field_image_note (PhField *field, PhFieldTensor *tensor);
/* The same elements under another shape. (transfer full) */
PhFieldTensor *ph_field_reshaped (PhField *field, PhFieldTensor *tensor, guint rank, const gint64 *dims);

static inline PhNum
ph_field_at (const PhFieldTensor *tensor, gsize i)
{
  return (PhNum) { tensor->p[i], tensor->q != NULL ? tensor->q[i] : 0 };
}

static inline void
ph_field_put (PhFieldTensor *tensor, gsize i, PhNum number)
{
  tensor->p[i] = number.p;
  if (tensor->q != NULL)
    tensor->q[i] = number.q;
}

/* c[m,n] = a[m,k] b[k,n] modulo @modulus, of numbers below it. (field-product.c) */
void ph_field_product (gsize m, gsize n, gsize k, const guint32 *a, const guint32 *b, guint32 *c, guint32 modulus);

/* ── functions of numbers (field-number.c) ── */
void ph_field_set_point (PhField *field, guint64 salt); /* the numbers of infinities, too */
/* Exactly, or as recognised: one of @dtype; an attribute or a number of a formula. */
PhNum ph_field_constant (PhField *field, PhDType dtype, double number);
PhNum ph_field_double (PhField *field, double number);
PhNum ph_field_ratio (PhField *field, gint64 over, gint64 under);
PhNum ph_field_inverse (PhField *field, PhNum a);         /* of 0: asks for another point */
PhNum ph_field_hash (PhField *field, guint64 hash);       /* the number of a hash          */
guint64 ph_field_salt (PhField *field, const char *name); /* of a function                 */
gboolean ph_field_positive (PhField *field, PhNum a);     /* its sign; 0 counts as either  */
gboolean ph_field_special (PhField *field, PhNum a);      /* stands for an infinity or NaN */
PhNum ph_field_exp (PhField *field, PhNum a);
PhNum ph_field_sqrt (PhField *field, PhNum a);
PhNum ph_field_root_two (PhField *field);
PhNum ph_field_function (PhField *field, const char *name, PhNum a); /* an uninterpreted one          */
PhNum ph_field_power (PhField *field, PhNum a, double exponent);
/* The sign of constants must be what Euler's criterion says, where it is used. */
void ph_field_check_sign (PhField *field, double number, PhNum a);

/* ── walking (field-graph.c) ── */
PhField *ph_field_new (PhModel *model, GHashTable *shared, GCancellable *cancellable);
void ph_field_free (PhField *field);
/* Forgets what it kept for the next point, when what is known of the inputs changes. */
void ph_field_forget (PhField *field);
/* Forgets the last point. */
void ph_field_begin (PhField *field, guint reading, guint64 salt);
gboolean ph_field_run_graph (PhField *field, PhGraph *graph);         /* its inputs are in @values     */
PhFieldTensor *ph_field_value (PhField *field, const PhValue *value); /* (nullable) borrowed           */
/* Evaluates what @expand builds instead of the node. */
typedef gboolean (*PhFieldSpell) (PhExpand *expand, GError **error);
gboolean ph_field_spell (PhFieldNode *self, PhFieldSpell spell);
/* The elements of the constant @tensor; its recipe's, where it has one of its own. (transfer full) (nullable) */
PhFieldTensor *ph_field_constant_tensor (PhField *field, PhTensor *tensor);

/* ── kinds (field-kinds.c) ── */
/* Runs the node itself on these tensors in the place of its inputs. @outputs: n_out owned references. */
gboolean ph_field_run_on (PhFieldNode *self, PhTensor *const *inputs, PhTensor **outputs);
typedef struct
{
  const PhOp *op;
  PhFieldRule rule;
} PhFieldKind;
gboolean ph_field_node (PhFieldNode *self);
gboolean ph_field_moves (PhFieldNode *self, gconstpointer data);
gboolean ph_field_opaque (PhFieldNode *self, gconstpointer data);
guint64 ph_field_hash_node (PhFieldNode *self);

/* field-elementwise.c */
typedef PhNum (*PhFieldFunction) (PhField *field, const PhNum *in, gconstpointer data);
PhFieldTensor *ph_field_map (PhFieldNode *self, PhFieldTensor *const *in, guint n, PhDType dtype, PhFieldFunction function,
                             gconstpointer data);
PhFieldRule ph_field_elementwise_rule (const PhOp *op, gconstpointer *data); /* (nullable) */
gboolean ph_field_unknown_elements (PhFieldNode *self, gconstpointer data);
gboolean ph_field_unknown_of (PhFieldNode *self, PhDType dtype); /* the same, of elements of @dtype */
/* field-copy.c, field-linear.c, field-reduce.c, field-spell.c */
PhFieldRule ph_field_copy_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_linear_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_reduce_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_spelt_rule (const PhOp *op, gconstpointer *data);
/* Whether some element stands for an infinity or NaN. */
gboolean ph_field_any_special (PhField *field, PhFieldTensor *tensor);
void ph_field_work (PhField *field, double multiplications);

PhTensor *ph_field_sizes_constant (const PhField *field, PhTensor *tensor); /* (transfer full): shapes are said with the sizes */

G_END_DECLS
