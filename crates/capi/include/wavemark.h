/*
 * Wavemark: run and check AMD GPU kernels without a GPU.
 *
 * Written by cbindgen from crates/capi/src; change those, and bless the test `header`.
 */

#ifndef WAVEMARK_H
#define WAVEMARK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Counts the versions of this interface that break programs.
#define WAVEMARK_ABI_VERSION 1

// What a call came to. What a kernel does wrong is no failure: it is in the report.
typedef enum wavemark_status {
  // It is done.
  WAVEMARK_STATUS_OK = 0,
  // The input, the launch or the options cannot be used.
  WAVEMARK_STATUS_UNUSABLE = 2,
  // What is asked for is not modelled.
  WAVEMARK_STATUS_UNSUPPORTED = 3,
  // A bug of Wavemark.
  WAVEMARK_STATUS_INTERNAL = 4,
} wavemark_status;

// A device: memory and modules.
typedef struct wavemark_device wavemark_device;

// How launches are run. What is not set is as on the command line.
typedef struct wavemark_options wavemark_options;

// What a launch came to.
typedef struct wavemark_report wavemark_report;

// How many work-items a launch has, and what they share.
typedef struct wavemark_extent {
  // Workgroups per dimension.
  uint32_t grid[3];
  // Work-items per workgroup and dimension.
  uint32_t block[3];
  // Workgroups per cluster and dimension; all 0: no clusters.
  uint32_t cluster[3];
  // Bytes of LDS beyond the kernel's own.
  uint32_t dynamic_lds;
} wavemark_extent;

// The bytes of an argument: a number, a struct, the eight bytes of an address.
typedef struct wavemark_argument {
  // Where they are.
  const uint8_t *bytes;
  // How many.
  size_t size;
} wavemark_argument;

// A kernel's argument that the caller gives.
typedef struct wavemark_parameter {
  // Bytes from the start of the argument segment.
  uint64_t offset;
  // Bytes.
  uint64_t size;
  // Whether it is the address of a buffer.
  bool is_address;
} wavemark_parameter;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What the library has of WAVEMARK_ABI_VERSION: a program compares it with its header's.
uint32_t wavemark_abi_version(void);

// The version of this interface, `MAJOR.MINOR.PATCH`.
const char *wavemark_version(void);

// Bytes that one request of an input may take: what an input asks for beyond that is refused with its place.
void wavemark_set_max_memory(uint64_t bytes);

// A new device without memory or modules. Delete it with wavemark_device_delete.
struct wavemark_device *wavemark_device_new(void);

// Deletes a device with its memory and modules.
//
// # Safety
//
// `device` is from wavemark_device_new and not deleted, or null.
void wavemark_device_delete(struct wavemark_device *device);

// New memory of `size` bytes that holds `contents`, or zeros if that is null; `name` is what reports call it. Its
// address goes to `address`.
//
// # Safety
//
// `device` is a device; `name` a string; `contents` null, or has `size` bytes; `address` can be written to.
enum wavemark_status wavemark_allocate(struct wavemark_device *device,
                                       const char *name,
                                       const uint8_t *contents,
                                       size_t size,
                                       uint64_t *address);

// Frees the memory that begins at `address`. What a kernel does with it from then on is out of bounds.
//
// # Safety
//
// `device` is a device.
enum wavemark_status wavemark_free(struct wavemark_device *device, uint64_t address);

// Copies `size` bytes at `address`, all in one allocation, to the host.
//
// # Safety
//
// `device` is a device; `into` has room for `size` bytes.
enum wavemark_status wavemark_read(struct wavemark_device *device,
                                   uint64_t address,
                                   uint8_t *into,
                                   size_t size);

// Copies `size` bytes of the host to `address`, all in one allocation.
//
// # Safety
//
// `device` is a device; `from` has `size` bytes.
enum wavemark_status wavemark_write(struct wavemark_device *device,
                                    uint64_t address,
                                    const uint8_t *from,
                                    size_t size);

// Runs a kernel to its end with these arguments; hidden ones are filled in. A null `kernel` is the module's only one, null
// `options` are the usual ones. What the run came to goes to `report`: delete it with wavemark_report_delete.
//
// # Safety
//
// `device` is a device; `kernel` null or a string; `extent` an extent; `arguments` has `count` of them, each with its
// bytes; `options` null or options; `report` can be written to.
enum wavemark_status wavemark_launch(struct wavemark_device *device,
                                     uint32_t module,
                                     const char *kernel,
                                     const struct wavemark_extent *extent,
                                     const struct wavemark_argument *arguments,
                                     size_t count,
                                     const struct wavemark_options *options,
                                     struct wavemark_report **report);

// The same, with the bytes of the whole kernel-argument segment, hidden arguments and all.
//
// # Safety
//
// As of wavemark_launch; `segment` has `size` bytes.
enum wavemark_status wavemark_launch_segment(struct wavemark_device *device,
                                             uint32_t module,
                                             const char *kernel,
                                             const struct wavemark_extent *extent,
                                             const uint8_t *segment,
                                             size_t size,
                                             const struct wavemark_options *options,
                                             struct wavemark_report **report);

// Loads a code object, an offload bundle or assembly. `lang` is "asm" or "obj"; null: what the bytes look like, or
// `name` ends in. `target`, such as "gfx950", chooses from a bundle; it may be null. The number of the module goes to
// `module`.
//
// # Safety
//
// `device` is a device; `name` a string; `contents` has `size` bytes; `lang` and `target` are null or strings; `module`
// can be written to.
enum wavemark_status wavemark_load(struct wavemark_device *device,
                                   const char *name,
                                   const uint8_t *contents,
                                   size_t size,
                                   const char *lang,
                                   const char *target,
                                   uint32_t *module);

// Frees the memory of a module.
//
// # Safety
//
// `device` is a device.
enum wavemark_status wavemark_unload(struct wavemark_device *device, uint32_t module);

// How many kernels a module has.
//
// # Safety
//
// `device` is a device.
size_t wavemark_kernel_count(const struct wavemark_device *device, uint32_t module);

// The name of a kernel, by its number in the module; null if there is none. It stays as long as the device.
//
// # Safety
//
// `device` is a device.
const char *wavemark_kernel_name(const struct wavemark_device *device, uint32_t module, size_t index);

// What a kernel takes as arguments, hidden ones left out: up to `room` of them go to `parameters`, their number to
// `count`. A null `kernel` is the module's only one.
//
// # Safety
//
// `device` is a device; `kernel` null or a string; `parameters` has room for `room` of them; `count` can be written to.
enum wavemark_status wavemark_parameters(const struct wavemark_device *device,
                                         uint32_t module,
                                         const char *kernel,
                                         struct wavemark_parameter *parameters,
                                         size_t room,
                                         size_t *count);

// Where a variable of a module is, and how many bytes it has.
//
// # Safety
//
// `device` is a device; `name` a string; `address` and `size` can be written to.
enum wavemark_status wavemark_variable(const struct wavemark_device *device,
                                       uint32_t module,
                                       const char *name,
                                       uint64_t *address,
                                       uint64_t *size);

// New options, nothing set. Delete them with wavemark_options_delete.
struct wavemark_options *wavemark_options_new(void);

// Deletes options.
//
// # Safety
//
// `options` is from wavemark_options_new and not deleted, or null.
void wavemark_options_delete(struct wavemark_options *options);

// Sets what the command line calls `--NAME`: "check", "completion", "seed", "threads", "max-steps", "timeout" (seconds
// of each launch) or "model", which adds up; or "record" to "true", for pages. A wrong value is refused here.
//
// # Safety
//
// `options` are options; `name` and `setting` strings.
enum wavemark_status wavemark_options_set(struct wavemark_options *options,
                                          const char *name,
                                          const char *setting);

// Deletes a report.
//
// # Safety
//
// `report` is from a launch and not deleted, or null.
void wavemark_report_delete(struct wavemark_report *report);

// 0: clean; 1: findings; 3: something is not modelled, or a check did not happen. -1: `report` is null.
//
// # Safety
//
// `report` is a report, or null.
int32_t wavemark_report_exit_status(const struct wavemark_report *report);

// How many findings there are.
//
// # Safety
//
// `report` is a report, or null.
size_t wavemark_report_finding_count(const struct wavemark_report *report);

// The outcome's name: "clean", "findings", … It stays as long as the report, as do the texts of it.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_outcome(const struct wavemark_report *report);

// The report for people.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_text(const struct wavemark_report *report);

// The report as JSON, as `--format json` writes it.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_json(const struct wavemark_report *report);

// The report as one HTML page with time lines, LDS and the listing, of a launch with the option "record"; else null.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_html(const struct wavemark_report *report);

// Why the last call of this thread that failed did so; empty if none has. It stays until the next one fails.
const char *wavemark_last_error(void);

// Why the last call of this thread that failed did so; empty if none has. It stays until the next one fails.
const char *wavemark_last_error(void);

// A new device without memory or modules. Delete it with wavemark_device_delete.
struct wavemark_device *wavemark_device_new(void);

// Deletes a device with its memory and modules.
//
// # Safety
//
// `device` is from wavemark_device_new and not deleted, or null.
void wavemark_device_delete(struct wavemark_device *device);

// New memory of `size` bytes that holds `contents`, or zeros if that is null; `name` is what reports call it. Its
// address goes to `address`.
//
// # Safety
//
// `device` is a device; `name` a string; `contents` null, or has `size` bytes; `address` can be written to.
enum wavemark_status wavemark_allocate(struct wavemark_device *device,
                                       const char *name,
                                       const uint8_t *contents,
                                       size_t size,
                                       uint64_t *address);

// Frees the memory that begins at `address`. What a kernel does with it from then on is out of bounds.
//
// # Safety
//
// `device` is a device.
enum wavemark_status wavemark_free(struct wavemark_device *device, uint64_t address);

// Copies `size` bytes at `address`, all in one allocation, to the host.
//
// # Safety
//
// `device` is a device; `into` has room for `size` bytes.
enum wavemark_status wavemark_read(struct wavemark_device *device,
                                   uint64_t address,
                                   uint8_t *into,
                                   size_t size);

// Copies `size` bytes of the host to `address`, all in one allocation.
//
// # Safety
//
// `device` is a device; `from` has `size` bytes.
enum wavemark_status wavemark_write(struct wavemark_device *device,
                                    uint64_t address,
                                    const uint8_t *from,
                                    size_t size);

// Loads a code object, an offload bundle or assembly. `lang` is "asm" or "obj"; null: what the bytes look like, or
// `name` ends in. `target`, such as "gfx950", chooses from a bundle; it may be null. The number of the module goes to
// `module`.
//
// # Safety
//
// `device` is a device; `name` a string; `contents` has `size` bytes; `lang` and `target` are null or strings; `module`
// can be written to.
enum wavemark_status wavemark_load(struct wavemark_device *device,
                                   const char *name,
                                   const uint8_t *contents,
                                   size_t size,
                                   const char *lang,
                                   const char *target,
                                   uint32_t *module);

// Frees the memory of a module.
//
// # Safety
//
// `device` is a device.
enum wavemark_status wavemark_unload(struct wavemark_device *device, uint32_t module);

// How many kernels a module has.
//
// # Safety
//
// `device` is a device.
size_t wavemark_kernel_count(const struct wavemark_device *device, uint32_t module);

// The name of a kernel, by its number in the module; null if there is none. It stays as long as the device.
//
// # Safety
//
// `device` is a device.
const char *wavemark_kernel_name(const struct wavemark_device *device, uint32_t module, size_t index);

// What a kernel takes as arguments, hidden ones left out: up to `room` of them go to `parameters`, their number to
// `count`. A null `kernel` is the module's only one.
//
// # Safety
//
// `device` is a device; `kernel` null or a string; `parameters` has room for `room` of them; `count` can be written to.
enum wavemark_status wavemark_parameters(const struct wavemark_device *device,
                                         uint32_t module,
                                         const char *kernel,
                                         struct wavemark_parameter *parameters,
                                         size_t room,
                                         size_t *count);

// Where a variable of a module is, and how many bytes it has.
//
// # Safety
//
// `device` is a device; `name` a string; `address` and `size` can be written to.
enum wavemark_status wavemark_variable(const struct wavemark_device *device,
                                       uint32_t module,
                                       const char *name,
                                       uint64_t *address,
                                       uint64_t *size);

// New options, nothing set. Delete them with wavemark_options_delete.
struct wavemark_options *wavemark_options_new(void);

// Deletes options.
//
// # Safety
//
// `options` is from wavemark_options_new and not deleted, or null.
void wavemark_options_delete(struct wavemark_options *options);

// Sets what the command line calls `--NAME`: "check", "completion", "seed", "threads", "max-steps", "timeout" (seconds
// of each launch) or "model", which adds up; or "record" to "true", for pages. A wrong value is refused here.
//
// # Safety
//
// `options` are options; `name` and `setting` strings.
enum wavemark_status wavemark_options_set(struct wavemark_options *options,
                                          const char *name,
                                          const char *setting);

// Runs a kernel to its end with these arguments; hidden ones are filled in. A null `kernel` is the module's only one, null
// `options` are the usual ones. What the run came to goes to `report`: delete it with wavemark_report_delete.
//
// # Safety
//
// `device` is a device; `kernel` null or a string; `extent` an extent; `arguments` has `count` of them, each with its
// bytes; `options` null or options; `report` can be written to.
enum wavemark_status wavemark_launch(struct wavemark_device *device,
                                     uint32_t module,
                                     const char *kernel,
                                     const struct wavemark_extent *extent,
                                     const struct wavemark_argument *arguments,
                                     size_t count,
                                     const struct wavemark_options *options,
                                     struct wavemark_report **report);

// The same, with the bytes of the whole kernel-argument segment, hidden arguments and all.
//
// # Safety
//
// As of wavemark_launch; `segment` has `size` bytes.
enum wavemark_status wavemark_launch_segment(struct wavemark_device *device,
                                             uint32_t module,
                                             const char *kernel,
                                             const struct wavemark_extent *extent,
                                             const uint8_t *segment,
                                             size_t size,
                                             const struct wavemark_options *options,
                                             struct wavemark_report **report);

// Deletes a report.
//
// # Safety
//
// `report` is from a launch and not deleted, or null.
void wavemark_report_delete(struct wavemark_report *report);

// 0: clean; 1: findings; 3: something is not modelled, or a check did not happen. -1: `report` is null.
//
// # Safety
//
// `report` is a report, or null.
int32_t wavemark_report_exit_status(const struct wavemark_report *report);

// How many findings there are.
//
// # Safety
//
// `report` is a report, or null.
size_t wavemark_report_finding_count(const struct wavemark_report *report);

// The outcome's name: "clean", "findings", … It stays as long as the report, as do the texts of it.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_outcome(const struct wavemark_report *report);

// The report for people.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_text(const struct wavemark_report *report);

// The report as JSON, as `--format json` writes it.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_json(const struct wavemark_report *report);

// The report as one HTML page with time lines, LDS and the listing, of a launch with the option "record"; else null.
//
// # Safety
//
// `report` is a report, or null.
const char *wavemark_report_html(const struct wavemark_report *report);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAVEMARK_H */
