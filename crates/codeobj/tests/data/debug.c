extern __attribute__((address_space(3))) int lds;
__attribute__((address_space(1))) int glob;
static int sq(int x) { int y = x * x; return y + glob; }
__attribute__((amdgpu_kernel)) void kern(__attribute__((address_space(1))) int *p, int n) {
  int acc[4]; int i;
  for (i = 0; i < n; i++) { acc[i & 3] = p[i]; lds = i; }
  p[0] = sq(acc[1]) + n;
}
