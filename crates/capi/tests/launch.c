/* A program in C: loads assembly, launches a kernel twice, reads results and reports. Its arguments are the right and the
 * racy kernel. It ends with the number of the first line that is not as it should be. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wavemark.h"

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "line %d: not %s: %s\n", __LINE__, #condition, wavemark_last_error());           \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

enum { GROUPS = 2, TILES = 8, LANES = 64, NUMBERS = GROUPS * TILES * LANES * 4 };

static uint8_t source[1 << 20];

static size_t read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    MUST(file);
    size_t size = fread(source, 1, sizeof source, file);
    fclose(file);
    return size;
}

/* Launches the kernel of the file and gives its report. */
static wavemark_report *launch(wavemark_device *device, const char *path, const wavemark_options *options,
                               const uint32_t *from, uint32_t *to) {
    uint32_t module;
    MUST(wavemark_load(device, path, source, read_file(path), NULL, NULL, &module) == WAVEMARK_STATUS_OK);
    MUST(wavemark_kernel_count(device, module) == 1);
    MUST(strcmp(wavemark_kernel_name(device, module, 0), "pipelined_copy") == 0);
    MUST(wavemark_kernel_name(device, module, 1) == NULL);

    wavemark_parameter parameters[4];
    size_t count;
    MUST(wavemark_parameters(device, module, NULL, parameters, 4, &count) == WAVEMARK_STATUS_OK);
    MUST(count == 2 && parameters[1].offset == 8 && parameters[1].size == 8 && parameters[1].is_address);

    uint64_t addresses[2];
    size_t size = NUMBERS * sizeof *from;
    MUST(wavemark_allocate(device, "src", (const uint8_t *)from, size, &addresses[0]) == WAVEMARK_STATUS_OK);
    MUST(wavemark_allocate(device, "dst", NULL, size, &addresses[1]) == WAVEMARK_STATUS_OK);
    wavemark_argument arguments[2] = {
        {(const uint8_t *)&addresses[0], sizeof addresses[0]},
        {(const uint8_t *)&addresses[1], sizeof addresses[1]},
    };
    wavemark_extent extent = {{GROUPS, 1, 1}, {LANES, 1, 1}, {0, 0, 0}, 0};
    wavemark_report *report = NULL;
    MUST(wavemark_launch(device, module, "pipelined_copy", &extent, arguments, 2, options, &report) ==
         WAVEMARK_STATUS_OK);
    MUST(wavemark_read(device, addresses[1], (uint8_t *)to, size) == WAVEMARK_STATUS_OK);

    /* The same by the bytes of the segment. */
    wavemark_report *again = NULL;
    MUST(wavemark_launch_segment(device, module, NULL, &extent, (const uint8_t *)addresses, sizeof addresses,
                                 options, &again) == WAVEMARK_STATUS_OK);
    MUST(wavemark_report_exit_status(again) == wavemark_report_exit_status(report));
    wavemark_report_delete(again);

    MUST(wavemark_free(device, addresses[0]) == WAVEMARK_STATUS_OK);
    MUST(wavemark_free(device, addresses[0]) == WAVEMARK_STATUS_UNUSABLE);
    MUST(strstr(wavemark_last_error(), "no memory"));
    MUST(wavemark_read(device, addresses[1] + size - 4, (uint8_t *)to, 8) == WAVEMARK_STATUS_UNUSABLE);
    MUST(strstr(wavemark_last_error(), "dst"));
    MUST(wavemark_unload(device, module) == WAVEMARK_STATUS_OK);
    MUST(wavemark_unload(device, module) == WAVEMARK_STATUS_UNUSABLE);
    return report;
}

int main(int count, char **paths) {
    MUST(count == 3);
    MUST(wavemark_abi_version() == WAVEMARK_ABI_VERSION);
    static uint32_t from[NUMBERS], to[NUMBERS];
    for (uint32_t i = 0; i < NUMBERS; i++)
        from[i] = i;

    wavemark_device *device = wavemark_device_new();
    wavemark_report *right = launch(device, paths[1], NULL, from, to);
    MUST(wavemark_report_exit_status(right) == 0 && wavemark_report_finding_count(right) == 0);
    MUST(strcmp(wavemark_report_outcome(right), "clean") == 0);
    for (uint32_t tile = 0; tile < GROUPS * TILES; tile++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t mirrored = (tile * LANES + LANES - 1 - lane) * 4 + i;
                MUST(to[(tile * LANES + lane) * 4 + i] == 2 * from[mirrored] + 1);
            }
    wavemark_report_delete(right);

    wavemark_options *options = wavemark_options_new();
    MUST(wavemark_options_set(options, "seed", "7") == WAVEMARK_STATUS_OK);
    MUST(wavemark_options_set(options, "seed", "seven") == WAVEMARK_STATUS_UNUSABLE);
    MUST(wavemark_options_set(options, "sede", "7") == WAVEMARK_STATUS_UNUSABLE);
    wavemark_report *racy = launch(device, paths[2], options, from, to);
    MUST(wavemark_report_exit_status(racy) == 1 && wavemark_report_finding_count(racy) > 0);
    MUST(strstr(wavemark_report_text(racy), "s_wait_asynccnt"));
    MUST(strstr(wavemark_report_json(racy), "\"findings\""));
    MUST(wavemark_report_html(racy) == NULL && strstr(wavemark_last_error(), "record"));
    wavemark_report_delete(racy);

    MUST(wavemark_options_set(options, "record", "true") == WAVEMARK_STATUS_OK);
    racy = launch(device, paths[2], options, from, to);
    MUST(strstr(wavemark_report_html(racy), "flight culprit"));
    wavemark_report_delete(racy);

    MUST(wavemark_options_set(options, "check", "off") == WAVEMARK_STATUS_OK);
    racy = launch(device, paths[2], options, from, to);
    MUST(wavemark_report_finding_count(racy) == 0);
    wavemark_report_delete(racy);
    wavemark_options_delete(options);

    uint32_t module;
    const char *text = "\ts_nonsense 1\n";
    MUST(wavemark_load(device, "k.s", (const uint8_t *)text, strlen(text), "asm", "gfx950", &module) ==
         WAVEMARK_STATUS_UNUSABLE);
    MUST(strstr(wavemark_last_error(), "k.s:1:2"));
    MUST(wavemark_load(NULL, "k.s", NULL, 0, NULL, NULL, &module) == WAVEMARK_STATUS_UNUSABLE);
    wavemark_device_delete(device);
    wavemark_device_delete(NULL);
    puts("as it should be");
    return 0;
}
