/* What Numba's runtime gives compiled code, for `targets`: memory from malloc, and NumPy's reshape without a copy. */
typedef long long i64;
typedef unsigned long size;
extern void *malloc(size);
extern void free(void *);
typedef struct { unsigned long long count; void *dtor, *dtor_info, *data; unsigned long long size; } MemInfo;

void *NRT_MemInfo_alloc_aligned(unsigned long long bytes, unsigned align) {
  MemInfo *info = malloc((size)bytes + sizeof(MemInfo) + align);
  info->count = 1;
  info->dtor = info->dtor_info = 0;
  info->size = bytes;
  info->data = (void *)(((size)(info + 1) + align - 1) & ~(size)(align - 1));
  return info;
}
void *NRT_MemInfo_alloc_safe_aligned(unsigned long long bytes, unsigned align) {
  return NRT_MemInfo_alloc_aligned(bytes, align);
}
void *NRT_MemInfo_alloc(unsigned long long bytes) { return NRT_MemInfo_alloc_aligned(bytes, 16); }
void *NRT_Allocate(unsigned long long bytes) { return malloc((size)bytes); }
void NRT_Free(void *memory) { free(memory); }
void NRT_incref(MemInfo *info) {
  if (info) info->count++;
}
void NRT_decref(MemInfo *info) {
  if (info && --info->count == 0) free(info);
}

/* Compiled code reshapes contiguous arrays only; for others this traps. */
int numba_attempt_nocopy_reshape(i64 ndim, const i64 *dims, const i64 *strides, i64 new_ndim, const i64 *newdims,
                                 i64 *newstrides, i64 itemsize, int fortran) {
  i64 last = itemsize, expected = itemsize;
  for (i64 i = ndim - 1; i >= 0; i--) {
    if (dims[i] != 1 && strides[i] != expected) __builtin_trap();
    expected *= dims[i];
  }
  for (i64 i = new_ndim - 1; i >= 0; i--) {
    newstrides[i] = last;
    last *= newdims[i];
  }
  return 1;
}
