/* A HIP host program in C, with the registration that clang writes into host code. It is written without AMD's headers:
 * what it needs is declared here. Its arguments: workgroups, tiles, lanes of a workgroup, a file with a code object. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t x, y, z;
} dim3;
typedef void *handle;

int hipGetDeviceCount(int *);
int hipDeviceGetAttribute(int *, int, int);
int hipDeviceSynchronize(void);
int hipGetLastError(void);
int hipPeekAtLastError(void);
const char *hipGetErrorString(int);
const char *hipGetErrorName(int);
int hipGetProcAddress(const char *, void **, int, uint64_t, int *);
int hipMalloc(void **, size_t);
int hipFree(void *);
int hipMallocPitch(void **, size_t *, size_t, size_t);
int hipHostMalloc(void **, size_t, unsigned);
int hipHostFree(void *);
int hipMallocManaged(void **, size_t, unsigned);
int hipHostRegister(void *, size_t, unsigned);
int hipHostUnregister(void *);
int hipHostGetDevicePointer(void **, void *, unsigned);
int hipMemcpy(void *, const void *, size_t, int);
int hipMemcpyAsync(void *, const void *, size_t, int, handle);
int hipMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int hipMemset(void *, int, size_t);
int hipMemsetAsync(void *, int, size_t, handle);
int hipMemset2D(void *, size_t, int, size_t, size_t);
int hipMemsetD32(void *, int, size_t);
int hipMemGetAddressRange(void **, size_t *, void *);
int hipPointerGetAttribute(void *, int, void *);
int hipStreamCreate(handle *);
int hipStreamDestroy(handle);
int hipStreamSynchronize(handle);
int hipStreamWaitEvent(handle, handle, unsigned);
int hipEventCreate(handle *);
int hipEventRecord(handle, handle);
int hipEventSynchronize(handle);
int hipEventElapsedTime(float *, handle, handle);
int hipEventDestroy(handle);
int hipModuleLoad(handle *, const char *);
int hipModuleUnload(handle);
int hipModuleGetFunction(handle *, handle, const char *);
int hipFuncGetAttribute(int *, int, handle);
int hipModuleLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle,
                          void **, void **);
int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, handle);
handle __hipRegisterFatBinary(const void *);
void __hipUnregisterFatBinary(handle);
int __hipRegisterFunction(handle, const void *, char *, const char *, unsigned, void *, void *, void *, void *, int *);
int __hipPushCallConfiguration(dim3, dim3, size_t, handle);
int __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, handle *);

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3, DEFAULT = 4 };

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #condition);                                      \
            exit(100);                                                                                       \
        }                                                                                                    \
    } while (0)
#define DO(call) MUST((call) == 0)

__asm__(".section .hip_fatbin, \"a\"\n.balign 4096\n.globl fat_binary\nfat_binary:\n.incbin \"" BUNDLE "\"\n.text\n");
extern const char fat_binary[];
static const struct {
    uint32_t magic, version;
    const void *binary, *unused;
} wrapper = {0x48495046, 1, fat_binary, NULL};
static handle binary;

/* What clang calls a device stub. */
static void pipelined_copy(const uint32_t *from, uint32_t *to) {
    void *arguments[2] = {&from, &to};
    dim3 grid, block;
    size_t dynamic_lds;
    handle stream;
    DO(__hipPopCallConfiguration(&grid, &block, &dynamic_lds, &stream));
    hipLaunchKernel((const void *)pipelined_copy, grid, block, arguments, dynamic_lds, stream);
}

__attribute__((constructor)) static void construct(void) {
    binary = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(binary, (const void *)pipelined_copy, "pipelined_copy", "pipelined_copy", -1u, NULL, NULL, NULL,
                          NULL, NULL);
}

__attribute__((destructor)) static void destruct(void) { __hipUnregisterFatBinary(binary); }

static uint32_t groups, tiles, lanes;

static void check(const uint32_t *from, const uint32_t *to) {
    for (uint32_t tile = 0; tile < groups * tiles; tile++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t mirrored = (tile * lanes + lanes - 1 - lane) * 4 + i;
                MUST(to[(tile * lanes + lane) * 4 + i] == 2 * from[mirrored] + 1);
            }
}

static void memory(void) {
    uint32_t here[64], there[64];
    for (uint32_t i = 0; i < 64; i++)
        here[i] = i;
    char *a, *b, *base;
    size_t size, pitch;
    DO(hipMalloc((void **)&a, sizeof here));
    DO(hipMalloc((void **)&b, sizeof here));
    DO(hipMemcpy(a, here, sizeof here, HOST_TO_DEVICE));
    DO(hipMemcpyAsync(b, a, sizeof here, DEVICE_TO_DEVICE, NULL));
    DO(hipMemset(b + 4, 0xff, 4));
    DO(hipMemsetD32(b + 8, 77, 2));
    DO(hipMemcpy(there, b, sizeof here, DEFAULT));
    MUST(there[0] == 0 && there[1] == 0xffffffff && there[2] == 77 && there[3] == 77 && there[63] == 63);
    DO(hipMemGetAddressRange((void **)&base, &size, b + 100));
    MUST(base == b && size == sizeof here);
    void *pointer;
    DO(hipPointerGetAttribute(&pointer, 3, b + 4));
    MUST(pointer == b + 4);
    MUST(hipPointerGetAttribute(&pointer, 3, here) == 1);

    /* One word too many is refused, named and remembered. */
    MUST(hipMemcpy(there, b, sizeof here + 4, DEVICE_TO_HOST) == 1);
    MUST(hipPeekAtLastError() == 1 && hipGetLastError() == 1 && hipGetLastError() == 0);
    MUST(hipMemcpy(there, here + 1, 4, DEVICE_TO_HOST) == 1 && hipMemcpy(there, b, 4, 9) == 21);

    /* Rows: 16 bytes of each. */
    char *rows;
    DO(hipMallocPitch((void **)&rows, &pitch, 20, 4));
    MUST(pitch >= 20);
    DO(hipMemset2D(rows, pitch, 1, 20, 4));
    DO(hipMemcpy2D(rows, pitch, here, 64, 16, 4, HOST_TO_DEVICE));
    DO(hipMemcpy2D(there, 20, rows, pitch, 20, 4, DEVICE_TO_HOST));
    MUST(there[0] == 0 && there[3] == 3 && there[4] == 0x01010101 && there[5] == 16 && there[18] == 51);
    MUST(hipMemcpy2D(there, 8, rows, pitch, 20, 4, DEVICE_TO_HOST) == 1);
    DO(hipFree(rows));
    DO(hipFree(a));
    DO(hipFree(b));
    DO(hipFree(NULL));
    MUST(hipFree(b) == 1 && hipMemset(b, 0, 4) == 1);
    hipGetLastError();
}

int main(int count, char **words) {
    MUST(count == 5);
    groups = atoi(words[1]), tiles = atoi(words[2]), lanes = atoi(words[3]);
    int devices, warp;
    DO(hipGetDeviceCount(&devices));
    DO(hipDeviceGetAttribute(&warp, 87, 0));
    MUST(devices == 1 && (warp == 32 || warp == 64));
    MUST(strcmp(hipGetErrorName(719), "hipErrorLaunchFailure") == 0 && strlen(hipGetErrorString(719)) > 5);
    memory();

    size_t size = groups * tiles * lanes * 16;
    uint32_t *from, *to, *plain = malloc(size), *results = malloc(size);
    for (uint32_t i = 0; i < size / 4; i++)
        plain[i] = 3 * i;
    dim3 grid = {groups, 1, 1}, block = {lanes, 1, 1};

    /* A registered kernel, on streams with events. */
    handle stream, other, start, stop;
    DO(hipStreamCreate(&stream));
    DO(hipStreamCreate(&other));
    DO(hipEventCreate(&start));
    DO(hipEventCreate(&stop));
    DO(hipMalloc((void **)&from, size));
    DO(hipMalloc((void **)&to, size));
    DO(hipMemcpyAsync(from, plain, size, HOST_TO_DEVICE, stream));
    DO(hipEventRecord(start, stream));
    DO(__hipPushCallConfiguration(grid, block, 0, stream));
    pipelined_copy(from, to);
    int launched = hipGetLastError();
    if (launched) {
        printf("launch: %s\n", hipGetErrorName(launched));
        MUST(hipDeviceSynchronize() == launched);
        return 0;
    }
    DO(hipEventRecord(stop, stream));
    DO(hipStreamWaitEvent(other, stop, 0));
    DO(hipMemcpyAsync(results, to, size, DEVICE_TO_HOST, other));
    DO(hipStreamSynchronize(other));
    float milliseconds;
    DO(hipEventSynchronize(stop));
    DO(hipEventElapsedTime(&milliseconds, start, stop));
    MUST(milliseconds > 0);
    if (strcmp(words[4], "racy") == 0) {
        puts("results are not looked at");
        return 0;
    }
    check(plain, results);
    MUST(hipStreamSynchronize(start) == 400);

    /* A module's kernel, its arguments in a buffer, on host memory of all kinds. */
    handle module, function;
    uint32_t *pinned, *managed, *registered;
    int threads;
    DO(hipModuleLoad(&module, words[4]));
    DO(hipModuleGetFunction(&function, module, "pipelined_copy"));
    MUST(hipModuleGetFunction(&function, module, "pipelined_cpoy") == 500);
    DO(hipFuncGetAttribute(&threads, 0, function));
    MUST((uint32_t)threads >= lanes);
    DO(hipHostMalloc((void **)&pinned, size, 0));
    DO(hipMallocManaged((void **)&managed, size, 1));
    memcpy(pinned, plain, size);
    struct {
        void *from, *to;
    } segment = {pinned, managed};
    size_t segment_size = sizeof segment;
    void *extra[] = {(void *)1, &segment, (void *)2, &segment_size, (void *)3};
    DO(hipModuleLaunchKernel(function, groups, 1, 1, lanes, 1, 1, 0, stream, NULL, extra));
    DO(hipDeviceSynchronize());
    check(plain, managed);
    DO(hipHostRegister(results, size, 0));
    DO(hipHostGetDevicePointer((void **)&registered, results, 0));
    memset(results, 0, size);
    void *arguments[] = {&managed, &registered};
    DO(hipModuleLaunchKernel(function, groups, 1, 1, lanes, 1, 1, 0, NULL, arguments, NULL));
    check(managed, results);
    DO(hipHostUnregister(results));
    MUST(hipModuleLaunchKernel(function, groups, 1, 1, 4096, 1, 1, 0, NULL, arguments, NULL) == 9);
    DO(hipModuleUnload(module));
    MUST(hipModuleLaunchKernel(function, groups, 1, 1, lanes, 1, 1, 0, NULL, arguments, NULL) != 0);
    DO(hipHostFree(pinned));
    DO(hipFree(managed));

    /* Entry points by name. */
    void *found = NULL;
    int status = -1;
    DO(hipGetProcAddress("hipMalloc", &found, 70100000, 0, &status));
    MUST(found == (void *)hipMalloc && status == 0);
    DO(hipGetProcAddress("hipGetDeviceProperties", &found, 70100000, 0, NULL));
    MUST(hipGetProcAddress("hipGraphCreate", &found, 70100000, 0, &status) == 500 && status == 1 && found == NULL);
    MUST(hipGetProcAddress("printf", &found, 70100000, 0, &status) == 500);

    DO(hipEventDestroy(start));
    DO(hipStreamDestroy(stream));
    MUST(hipStreamDestroy(stream) == 400);
    puts("as it should be");
    return 0;
}
