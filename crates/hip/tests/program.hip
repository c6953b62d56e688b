// A HIP program: kernels, a constant, a variable, shared memory. It is written without AMD's headers: what it needs is
// declared here.

typedef __SIZE_TYPE__ size_t;
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;

extern "C" {
hipError_t hipMalloc(void **, size_t);
hipError_t hipMemcpy(void *, const void *, size_t, int);
hipError_t hipMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
hipError_t hipMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
hipError_t hipGetSymbolAddress(void **, const void *);
hipError_t hipGetSymbolSize(size_t *, const void *);
hipError_t hipGetLastError();
hipError_t hipDeviceSynchronize();
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
int puts(const char *);
int printf(const char *, ...);
}

__constant__ float scale[4];
__device__ unsigned finished;

__global__ void scaled_sum(const float *a, const float *b, float *c, int n) {
    int i = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
    if (i < n)
        c[i] = a[i] + b[i] * scale[i & 3];
    if (__builtin_amdgcn_workitem_id_x() == 0)
        __hip_atomic_fetch_add(&finished, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void reversed(float *a) {
    __shared__ float row[128];
    unsigned i = __builtin_amdgcn_workitem_id_x();
    row[i] = a[i];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    a[i] = row[127 - i];
}

#define MUST(condition)                                                                                      \
    if (!(condition)) {                                                                                      \
        printf("line %d: not %s\n", __LINE__, #condition);                                                   \
        return 1;                                                                                            \
    }

int main() {
    const int n = 1000;
    float x[n], y[n], z[n];
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 2 * i;
    }
    float *a, *b, *c;
    MUST(hipMalloc((void **)&a, sizeof x) == 0 && hipMalloc((void **)&b, sizeof x) == 0);
    MUST(hipMalloc((void **)&c, sizeof x) == 0);
    MUST(hipMemcpy(a, x, sizeof x, 1) == 0 && hipMemcpy(b, y, sizeof y, 1) == 0);
    const float scales[4] = {1, 2, 3, 4};
    MUST(hipMemcpyToSymbol(scale, scales, sizeof scales, 0, 1) == 0);
    MUST(hipMemcpyToSymbol(scale, scales, sizeof scales, 4, 1) == 1 && hipGetLastError() == 1);

    scaled_sum<<<8, 128>>>(a, b, c, n);
    MUST(hipGetLastError() == 0 && hipDeviceSynchronize() == 0);
    MUST(hipMemcpy(z, c, sizeof z, 2) == 0);
    for (int i = 0; i < n; i++)
        MUST(z[i] == x[i] + y[i] * scales[i & 3]);

    unsigned *address, count = 0;
    size_t size;
    MUST(hipGetSymbolAddress((void **)&address, &finished) == 0 && hipGetSymbolSize(&size, &finished) == 0);
    MUST(size == 4 && hipMemcpy(&count, address, 4, 2) == 0 && count == 8);
    MUST(hipMemcpyFromSymbol(&count, &finished, 4, 0, 2) == 0 && count == 8);

    reversed<<<dim3(1), dim3(128)>>>(a);
    MUST(hipGetLastError() == 0 && hipMemcpy(z, a, 512, 2) == 0);
    for (int i = 0; i < 128; i++)
        MUST(z[i] == 127 - i);
    puts("as it should be");
    return 0;
}
