/* field-tensor.c: tensors of numbers of the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-tensor.h"
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"

#define MOST_ELEMENTS ((gsize) 1 << 26)

static PhFieldTensor *
allocate (PhDType dtype, guint rank, const gint64 *dims)
{
  PhFieldTensor *self = g_malloc0 (sizeof *self + rank * sizeof *dims);

  g_atomic_ref_count_init (&self->ref_count);
  self->dtype = dtype;
  self->rank = rank;
  self->count = 1;
  for (guint i = 0; i < rank; i++)
    {
      self->dims[i] = dims[i];
      self->count *= dims[i];
    }
  return self;
}

static gboolean
is_small (guint rank, const gint64 *dims)
{
  double count = 1;

  for (guint i = 0; i < rank; i++)
    count *= dims[i];
  return count <= MOST_ELEMENTS;
}

static void
make_room (PhField *field, PhFieldTensor *self)
{
  self->p = g_new0 (guint32, self->count + 1);
  if (field->reading & PH_FIELD_EXP)
    self->q = g_new0 (guint32, self->count + 1);
}

PhFieldTensor *
ph_field_tensor_new (PhField *field, PhDType dtype, guint rank, const gint64 *dims)
{
  PhFieldTensor *self;

  if (!is_small (rank, dims))
    {
      if (field->why == NULL)
        field->why = g_strdup ("a value is too large");
      return NULL;
    }
  self = allocate (dtype, rank, dims);
  self->over = 1;
  make_room (field, self);
  return self;
}

PhFieldTensor *
ph_field_tensor_variable (PhDType dtype, guint rank, const gint64 *dims, guint64 salt)
{
  PhFieldTensor *self;

  if (!is_small (rank, dims))
    return NULL;
  self = allocate (dtype, rank, dims);
  self->over = 1;
  self->is_variable = TRUE;
  self->salt = salt;
  return self;
}

PhFieldTensor *
ph_field_tensor_known (PhTensor *tensor)
{
  PhFieldTensor *self = allocate (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  self->known = ph_tensor_ref (tensor);
  return self;
}

PhFieldTensor *
ph_field_tensor_ref (PhFieldTensor *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
ph_field_tensor_unref (PhFieldTensor *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->known, ph_tensor_unref);
  if (self->owner == NULL)
    {
      g_free (self->p);
      g_free (self->q);
    }
  g_clear_pointer (&self->owner, ph_field_tensor_unref);
  g_free (self);
}

static PhNum
string_number (PhField *field, const char *string)
{
  return ph_field_hash (field, ph_mix (ph_field_salt (field, string != NULL ? string : ""), 3));
}

/* Finds the elements of a tensor that is not known. */
static void
find_elements (PhField *field, PhFieldTensor *self)
{
  if (self->owner != NULL)
    {
      ph_field_parts (field, self->owner);
      self->p = self->owner->p;
      self->q = self->owner->q;
    }
  else if (self->is_variable)
    {
      make_room (field, self);
      for (gsize k = 0; k < self->count; k++)
        ph_field_put (self, k, ph_field_hash (field, ph_mix (self->salt, k)));
    }
}

void
ph_field_parts (PhField *field, PhFieldTensor *self)
{
  const PhDType dtype = self->dtype;
  PhNum number = { 0, 0 };
  const float *floats;
  gboolean recognised;
  guint met;

  if (self->p != NULL)
    return;
  if (self->known == NULL)
    {
      find_elements (field, self);
      return;
    }
  if (!is_small (self->rank, self->dims) || dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
    {
      if (field->why == NULL)
        field->why = g_strdup (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128 ? "complex numbers" : "a value is too large");
      self->count = 0;
    }
  make_room (field, self);
  if (ph_field_image_find (field, self))
    return;
  met = field->met;
  recognised = field->used_recognised;
  field->met = 0;
  field->used_recognised = FALSE;
  field->salted = FALSE;
  floats = dtype == PH_FLOAT && !ph_tensor_is_splat (self->known) ? ph_tensor_data (self->known) : NULL;
  if (floats != NULL && !field->bad_sign)
    ph_field_floats (field, self, floats);
  for (gsize i = 0; (floats == NULL || field->bad_sign) && i < self->count; i++)
    {
      if (field->bad_sign) /* the point is unusable: skip the remaining work */
        number = (PhNum) { 0, 0 };
      else if (i == 0 || !ph_tensor_is_splat (self->known))
        number = dtype == PH_STRING          ? string_number (field, ph_tensor_get_string (self->known, i))
                 : ph_dtype_is_float (dtype) ? ph_field_constant (field, dtype, ph_tensor_get (self->known, i))
                                             : ph_num_int (ph_tensor_get_int (self->known, i));
      ph_field_put (self, i, number);
    }
  if (!field->bad_sign)
    ph_field_image_note (field, self);
  field->met |= met;
  field->used_recognised |= recognised;
}

PhFieldTensor *
ph_field_reshaped (PhField *field, PhFieldTensor *tensor, guint rank, const gint64 *dims)
{
  PhFieldTensor *self = allocate (tensor->dtype, rank, dims);

  g_return_val_if_fail (self->count == tensor->count, self);

  if (tensor->known != NULL)
    self->known = ph_tensor_reshaped (tensor->known, rank, dims);
  self->over = tensor->over;
  self->under = tensor->under;
  self->p = tensor->p;
  self->q = tensor->q;
  if (tensor->p != NULL || tensor->known == NULL)
    self->owner = ph_field_tensor_ref (tensor->owner != NULL ? tensor->owner : tensor);
  return self;
}

gboolean
ph_field_are_same (const PhFieldTensor *a, const PhFieldTensor *b)
{
  return (a->owner != NULL ? a->owner : a) == (b->owner != NULL ? b->owner : b);
}

gboolean
ph_field_any_special (PhField *field, PhFieldTensor *tensor)
{
  const guint32 infinity = field->special[PH_FIELD_INFINITY].p, minus = field->special[PH_FIELD_MINUS_INFINITY].p,
                nan = field->special[PH_FIELD_NAN].p;
  const guint32 *p;
  guint found = 0;

  ph_field_parts (field, tensor);
  p = tensor->p;
  for (gsize i = 0; i < tensor->count; i++) /* without a branch: weights are many, and seldom special */
    found |= (guint) (p[i] == infinity) | (guint) (p[i] == minus) | (guint) (p[i] == nan);
  return found != 0;
}
