/* SPDX-License-Identifier: Apache-2.0 */
/* Modules from files; runs clang for CUDA C. Temporary files live in a folder of their own
 * below $TMPDIR and are gone when the function returns. */
#include "shell/host/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "shell/config/locate.h"
#include "shell/config/regular.h"
#include "shell/host/clang.h"
#include "shell/host/launch_file.h"
#include "shell/host/program.h"

#define MAX_ARGS  192
#define PATH_SIZE 4096
#define MAX_PTX   (64u << 20) /* bytes */

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct work_dir {
    char dir[PATH_SIZE], ptx[PATH_SIZE + 16], log[PATH_SIZE + 16], rule[PATH_SIZE + 16];
    wr_held held; /* signals, while it is there */
} work_dir;

static char *read_whole(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    char *text = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (used + 1 >= capacity) {
            size_t grown_size = capacity ? 2 * capacity : 65536;
            char *grown = grown_size <= MAX_PTX ? realloc(text, grown_size) : NULL;
            if (!grown) {
                errno = grown_size <= MAX_PTX ? ENOMEM : EFBIG;
                break;
            }
            text = grown;
            capacity = grown_size;
        }
        size_t got = fread(text + used, 1, capacity - used - 1, f);
        used += got;
        if (got == 0) {
            if (ferror(f)) {
                break;
            }
            (void)fclose(f);
            text[used] = '\0';
            *length = used;
            return text;
        }
    }
    int error = errno;
    free(text);
    (void)fclose(f);
    errno = error;
    return NULL;
}

static bool open_work(work_dir *w, wr_diag *diag)
{
    const char *tmp = getenv("TMPDIR");
    int n = snprintf(w->dir, sizeof w->dir, "%s/warpref-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    wr_held_begin(&w->held);
    if (n < 0 || (size_t)n >= sizeof w->dir || !mkdtemp(w->dir)) {
        const int error = errno;
        wr_held_end(&w->held);
        wr_diag_set(diag, NULL, 0, 0,
                    "no temporary folder can be made (%s); set TMPDIR to one that is writable",
                    strerror(error));
        return false;
    }
    (void)snprintf(w->rule, sizeof w->rule, "%s/rule", w->dir);
    (void)snprintf(w->ptx, sizeof w->ptx, "%s/k.ptx", w->dir);
    (void)snprintf(w->log, sizeof w->log, "%s/log", w->dir);
    return true;
}

/* A signal that has come meanwhile ends the process. */
static void close_work(work_dir *w)
{
    unlink(w->ptx);
    unlink(w->log);
    unlink(w->rule);
    rmdir(w->dir);
    wr_held_end(&w->held);
}

/* The files that make's rule in `text` names behind the colon, in the same place: each ends in a
 * NUL, and an empty one comes behind the last. */
static void split_rule(char *text)
{
    const char *from = strstr(text, ": ");
    char *to = text;
    bool inside = false;
    for (from = from ? from + 2 : ""; *from; from++) {
        bool is_quote = from[0] == '\\' && (from[1] == ' ' || from[1] == '#');
        if (from[0] == '\\' && from[1] == '\n') {
            continue;
        }
        if (!is_quote && (*from == ' ' || *from == '\n')) {
            if (inside) {
                *to++ = '\0';
            }
            inside = false;
            continue;
        }
        from += is_quote || (from[0] == '$' && from[1] == '$') ? 1 : 0;
        *to++ = *from;
        inside = true;
    }
    if (inside) {
        *to++ = '\0';
    }
    *to = '\0';
}

/* What to do about errors that a file from elsewhere brings; "" for others. */
static const char *clang_hint(const char *error)
{
    static const struct {
        const char *part, *hint;
    } hints[] = {
        {"unknown type name '__global__'",
         "; include \"cuda.h\", which stands in for CUDA's headers"},
        {"'cuda_runtime.h' file not found",
         "; include \"cuda.h\" instead: no CUDA toolkit is used"},
        {"bits/libc-header-start.h",
         "; kernels can't include the C library's headers: use \"cuda.h\""},
        {" = NVPTXISD::",
         "; LLVM can't hand a struct of 3, 5, 6 or 7 bytes of bit fields to a function that is not "
         "inlined: give it another byte, or optimise"},
        {"<<<", "; leave the host's part out: the launch file does what it does"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (strstr(error, hints[i].part)) {
            return hints[i].hint;
        }
    }
    return "";
}

/* Makes the first "file:line:column: error: text" of clang's output the diagnostic. */
static void report_clang(const char *path, const char *log, wr_diag *diag)
{
    size_t length = 0;
    char *text = read_whole(log, &length);
    char *save = NULL;
    bool done = false;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && !done;
         line = strtok_r(NULL, "\n", &save)) {
        char *mark = strstr(line, "error: ");
        if (!mark) {
            continue;
        }
        unsigned row = 0, column = 0;
        char *colon = strchr(line, ':');
        bool placed = colon && colon < mark && sscanf(colon, ":%u:%u:", &row, &column) >= 1;
        if (placed) {
            *colon = '\0';
        }
        const char *error = mark + strlen("error: ");
        wr_diag_set(diag, placed ? line : path, row, column, "%s%s", error, clang_hint(error));
        done = true;
    }
    free(text);
    if (done) {
        return;
    }
    text = read_whole(log, &length); /* strtok_r cut the other one */
    if (text) {
        text[strcspn(text, "\n")] = '\0';
    }
    struct statvfs fs;
    if (statvfs(log, &fs) == 0 && fs.f_blocks != 0 && (uint64_t)fs.f_bavail * fs.f_frsize < 65536) {
        wr_diag_set(diag, path, 0, 0,
                    "clang failed: the disk of %s is full; make room, or set TMPDIR to another "
                    "folder",
                    log);
    } else {
        wr_diag_set(diag, path, 0, 0, "clang failed: %s",
                    text && *text ? text : "it did not say why");
    }
    free(text);
}

/* What clang has said of a file that it compiled, on standard error, as the compiler of a whole
 * program does. */
static void show_warnings(const char *log)
{
    size_t length = 0;
    char *text = read_whole(log, &length);
    if (text) {
        (void)fwrite(text, 1, length, stderr); /* a stream keeps its error */
    }
    free(text);
}

/* Clang's major version: by its name, or as it says itself. */
static unsigned major_of(work_dir *w, const char *clang)
{
    unsigned major = wr_clang_named_major(clang);
    const char *const ask[] = {clang, "-dumpversion", NULL};
    size_t length = 0;
    char *said = NULL;
    if (major == 0 && wr_held_run(&w->held, (char *const *)ask, w->log) == 0) {
        said = read_whole(w->log, &length);
        major = said ? (unsigned)strtoul(said, NULL, 10) : 0;
        free(said);
    }
    return major ? major : WR_CLANG_MAJOR;
}

/* Runs the first clang that there is on `arguments`, which end in NULL; its exit status. */
static int run_clang(work_dir *w, const char *const *arguments)
{
    static const char *const first[] = {"-x",
                                        "cuda",
                                        "--cuda-device-only",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-S",
                                        "-O2",
                                        "-fdeclspec",
                                        "--cuda-gpu-arch=sm_50",
                                        "-Wno-unknown-cuda-version"};
    const char *chosen = getenv("WARPREF_CLANG");
    const char *names[] = {chosen && *chosen ? chosen : "clang-14",
                           chosen && *chosen ? NULL : "clang"};
    int status = WR_PROGRAM_NOT_FOUND;
    for (size_t i = 0; i < 2 && names[i] && status == WR_PROGRAM_NOT_FOUND; i++) {
        const char *argv[MAX_ARGS + COUNT(first) + WR_CLANG_MAX_FLAGS] = {names[i]};
        size_t n = 1;
        memcpy(argv + n, first, sizeof first);
        n += COUNT(first);
        n += wr_clang_flags(major_of(w, names[i]), argv + n);
        for (size_t k = 0; arguments[k]; k++) {
            argv[n++] = arguments[k];
        }
        status = wr_held_run(&w->held, (char *const *)argv, w->log);
    }
    return status;
}

/* Clang refuses dynamic shared memory that is no array, unless device code of several files may be
 * linked, of which nvcc knows nothing. */
static bool wants_linking(const char *log)
{
    size_t length = 0;
    char *text = read_whole(log, &length);
    const bool wants = text && strstr(text, "__shared__ variable") && strstr(text, "'extern'");
    free(text);
    return wants;
}

/* What came of clang's run; NULL: nothing, and `diag` says why. */
static char *take_ptx(const work_dir *w, int status, const char *path, const wr_cuda_options *cuda,
                      size_t *length, wr_diag *diag)
{
    size_t rule_length = 0;
    char *ptx = NULL;
    if (status == WR_PROGRAM_NOT_FOUND) {
        wr_diag_set(
            diag, path, 0, 0,
            "clang is needed to compile it and was not found; install Debian's clang-14, or set "
            "WARPREF_CLANG");
    } else if (status != 0) {
        report_clang(path, w->log, diag);
    } else if (!(ptx = read_whole(w->ptx, length))) {
        wr_diag_set(diag, path, 0, 0, "what clang wrote cannot be read: %s", strerror(errno));
    } else {
        if (!cuda->quiet) {
            show_warnings(w->log);
        }
        if (cuda->sources && (*cuda->sources = read_whole(w->rule, &rule_length))) {
            split_rule(*cuda->sources);
        }
    }
    return ptx;
}

static char *compile_cuda(const char *path, const wr_cuda_options *cuda, size_t *length,
                          wr_diag *diag)
{
    const char *argv[MAX_ARGS];
    size_t n = 0;
    work_dir w;
    static const char *const own_headers[] = {"cuda", "cooperative_groups"}; /* as files begin */
    char own[COUNT(own_headers)][PATH_SIZE + 128];
    if (cuda->flag_count > MAX_ARGS - 32) {
        wr_diag_set(diag, path, 0, 0, "too many flags for clang");
        return NULL;
    }
    if (!open_work(&w, diag)) {
        return NULL;
    }
    bool wide = cuda->address_size == 64;
    char *headers = wr_locate_kernel_headers();
    char *math = wr_locate_libdevice(wide ? 64 : 32);
    if (!wide) {
        argv[n++] = "-m32";
    }
    if (math) { /* of it clang takes what is called */
        static const char *const link[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang"};
        memcpy(argv + n, link, sizeof link);
        n += COUNT(link);
        argv[n++] = math;
    }
    if (headers) {
        for (size_t i = 0; i < COUNT(own); i++) {
            (void)snprintf(own[i], sizeof own[i], "-fdebug-prefix-map=%s/%s=" WR_SOURCE_OWN "/%s",
                           headers, own_headers[i], own_headers[i]);
            argv[n++] = own[i];
        }
        argv[n++] = "-I";
        argv[n++] = headers;
    }
    for (size_t i = 0; i < cuda->flag_count; i++) {
        argv[n++] = cuda->flags[i];
    }
    if (cuda->sources) {
        argv[n++] = "-MD";
        argv[n++] = "-MF";
        argv[n++] = w.rule;
    }
    argv[n++] = "-o";
    argv[n++] = w.ptx;
    argv[n++] = path;
    argv[n] = NULL;
    int status = run_clang(&w, argv);
    if (status > 0 && wants_linking(w.log)) {
        argv[n++] = "-fgpu-rdc";
        argv[n] = NULL;
        status = run_clang(&w, argv);
    }
    char *ptx = take_ptx(&w, status, path, cuda, length, diag);
    free(math);
    free(headers);
    close_work(&w);
    return ptx;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

char *wr_module_ptx(const char *path, const wr_cuda_options *cuda, size_t *length, wr_diag *diag)
{
    static const wr_cuda_options defaults = {0};
    bool is_cuda = has_ending(path, ".cu");
    uint64_t bytes = 0;
    if (!is_cuda && !has_ending(path, ".ptx")) {
        wr_diag_set(diag, path, 0, 0,
                    "a module is a .cu or a .ptx file; make PTX of other sources first");
        return NULL;
    }
    const char *why = wr_regular_file(path, &bytes); /* a FIFO would block for ever */
    if (!why && access(path, R_OK) != 0) {
        why = strerror(errno);
    }
    if (!why && bytes > MAX_PTX) {
        why = strerror(EFBIG);
    }
    if (why) {
        wr_diag_set(diag, path, 0, 0, "cannot be read: %s", why);
        return NULL;
    }
    if (is_cuda) {
        return compile_cuda(path, cuda ? cuda : &defaults, length, diag);
    }
    char *text = read_whole(path, length);
    if (!text) {
        wr_diag_set(diag, path, 0, 0, "cannot be read: %s", strerror(errno));
    }
    return text;
}

wr_module *wr_module_load(const char *path, const wr_cuda_options *cuda,
                          const wr_compile_options *options, wr_diag *diag)
{
    char name[WR_DIAG_FILE_MAX];
    size_t length = 0;
    wr_module *module = NULL;
    char *text = wr_module_ptx(path, cuda, &length, diag);
    if (!text) {
        return NULL;
    }
    /* A line number in clang's output must not look like one of the .cu file. */
    (void)snprintf(name, sizeof name, "%.200s%s", path,
                   has_ending(path, ".cu") ? " (its PTX)" : "");
    wr_ptx_module *tree = wr_ptx_parse(name, text, length, diag);
    if (tree) {
        module = wr_compile(tree, options, diag);
    }
    wr_ptx_free(tree);
    free(text);
    return module;
}
