/* SPDX-License-Identifier: Apache-2.0 */
/* The wire, the process behind it, errors; see client.h. */
#include "cuda/runtime/client.h"

#include "cuda/runtime/managed.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

enum { PATH = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local cudaError_t last;
static struct {
    bool tried;
    int fd; /* -1: there is no GPU */
    pid_t pid;
    wr_cuda_device device;
    cudaError_t ended; /* its work, for good */
    bool lost;         /* it has died */
    bool refused;      /* something of the program */
    int status;        /* of the program, where it has called exit */
} gpu = {.fd = -1};

void wr_client_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

cudaError_t wr_client_unlock(cudaError_t error)
{
    if (error != cudaSuccess) {
        last = error;
    }
    (void)pthread_mutex_unlock(&lock);
    return error;
}

void wr_client_refuse(const char *format, ...)
{
    va_list args;
    (void)fflush(stdout);
    (void)fputs("warpref: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    gpu.refused = true;
}

WR_API cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    last = gpu.ended;
    return error;
}

WR_API cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

/* The program: $WARPREF_PROGRAM, or the one of the tree that this library is of. */
static bool find_program(char path[PATH])
{
    static const char *const places[] = {"../bin/warpref", "../../bin/warpref"};
    const char *given = getenv("WARPREF_PROGRAM");
    Dl_info info;
    char *slash;
    if (given && *given) {
        (void)snprintf(path, PATH, "%s", given);
        return access(path, X_OK) == 0;
    }
    char here[PATH];
    if (!dladdr((void *)&lock, &info) || !realpath(info.dli_fname, here) ||
        !(slash = strrchr(here, '/'))) {
        return false;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(path, PATH, "%.3000s/%s", here, places[i]) < PATH && access(path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

static void on_end(int status, void *arg)
{
    (void)arg;
    gpu.status = status;
}

/* Behind all that the program does: the GPU writes its files and says how it ended. */
static __attribute__((destructor)) void leave(void)
{
    wr_cuda_request request = {.what = WR_CUDA_LEAVE};
    wr_cuda_reply reply = {0};
    if (gpu.lost && gpu.status == 0) {
        (void)fflush(NULL);
        _exit(1);
    }
    if (gpu.fd < 0) {
        return;
    }
    bool told = wr_cuda_send(gpu.fd, &request, sizeof request) &&
                wr_cuda_receive(gpu.fd, &reply, sizeof reply);
    (void)close(gpu.fd);
    int status = 0;
    while (waitpid(gpu.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (gpu.status == 0 && (!told || reply.error != 0 || gpu.refused)) {
        (void)fflush(NULL);
        _exit(1);
    }
}

/* What is loaded before a program, by `warpref exec` or its user, is not for the GPU's process. */
static char **environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count]) {
        count++;
    }
    char **words = (char **)calloc(count + 1, sizeof *words);
    for (size_t i = 0; words && i < count; i++) {
        if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) {
            words[kept++] = environ[i];
        }
    }
    return words;
}

/* `memory`: the file that the GPU's memory is to be, -1: none. */
static bool start(char program[PATH], int ends[2], int memory)
{
    wordexp_t words = {.we_offs = 4};
    const char *options = getenv("WARPREF");
    char numbers[32];
    int error = wordexp(options ? options : "", &words, WRDE_DOOFFS | WRDE_NOCMD);
    if (error != 0) {
        (void)fprintf(stderr, "WARPREF='%s': not words as a shell has them\n", options);
        return false;
    }
    (void)snprintf(numbers, sizeof numbers, memory < 0 ? "%d" : "%d,%d", ends[1], memory);
    words.we_wordv[0] = program;
    words.we_wordv[1] = (char[]){"device"};
    words.we_wordv[2] = (char[]){"--fd"};
    words.we_wordv[3] = numbers;
    posix_spawn_file_actions_t actions;
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        char **env = environment();
        error = env ? posix_spawn_file_actions_adddup2(&actions, ends[1], ends[1]) : ENOMEM;
        error = error || memory < 0 ? error
                                    : posix_spawn_file_actions_adddup2(&actions, memory, memory);
        error = error ? error : posix_spawn(&gpu.pid, program, &actions, NULL, words.we_wordv, env);
        free((void *)env);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    if (error != 0) {
        (void)fprintf(stderr, "%s: %s\n", program, strerror(error));
    }
    wordfree(&words);
    return error == 0;
}

static bool greet(void)
{
    wr_cuda_request request = {.what = WR_CUDA_GREET, .a = WR_CUDA_GREETING};
    char *text = NULL;
    uint64_t bytes = 0;
    bool ok = wr_client_ask(&request, NULL, NULL, &text, &bytes) == cudaSuccess &&
              bytes == sizeof gpu.device;
    if (ok) {
        memcpy(&gpu.device, text, sizeof gpu.device);
    }
    free(text);
    return ok;
}

const wr_cuda_device *wr_client_device(void)
{
    char program[PATH];
    int ends[2];
    if (gpu.tried) {
        return gpu.fd >= 0 ? &gpu.device : NULL;
    }
    gpu.tried = true;
    if (!find_program(program)) {
        (void)fprintf(stderr,
                      "no program warpref beside its CUDA runtime; name it in WARPREF_PROGRAM\n");
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        (void)fprintf(stderr, "no socket to the simulated GPU: %s\n", strerror(errno));
        return NULL;
    }
    (void)fflush(stdout);
    int memory = memfd_create("memory of the simulated GPU", MFD_CLOEXEC);
    if (start(program, ends, memory)) {
        gpu.fd = ends[0];
        (void)on_exit(on_end, NULL);
    } else {
        (void)close(ends[0]);
    }
    (void)close(ends[1]);
    if (gpu.fd >= 0 && !greet()) { /* it has said why */
        (void)close(gpu.fd);
        gpu.fd = -1;
        gpu.lost = true;
        while (waitpid(gpu.pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (gpu.fd >= 0) {
        wr_both_open(memory, gpu.device.first_address, gpu.device.global_bytes);
    }
    if (memory >= 0) {
        (void)close(memory);
    }
    return gpu.fd >= 0 ? &gpu.device : NULL;
}

/* What stands behind a reply to a wait. */
static bool take_notes(uint32_t count)
{
    for (; count > 0; count--) {
        wr_cuda_note note;
        if (!wr_cuda_receive(gpu.fd, &note, sizeof note)) {
            return false;
        }
        if (note.mark != WR_CUDA_PRINTED) { /* it is the place where the data belong */
            if (!wr_cuda_receive(gpu.fd, wr_client_pointer(note.mark), note.bytes)) {
                return false;
            }
            continue;
        }
        char part[4096];
        for (uint64_t left = note.bytes; left > 0;) {
            size_t n = left < sizeof part ? (size_t)left : sizeof part;
            if (!wr_cuda_receive(gpu.fd, part, n)) {
                return false;
            }
            (void)fwrite(part, 1, n, stdout);
            left -= n;
        }
    }
    return true;
}

static cudaError_t lost(void)
{
    if (gpu.ended == cudaSuccess) {
        (void)fprintf(stderr, "the simulated GPU is gone\n");
        gpu.ended = cudaErrorUnknown;
        gpu.lost = true;
        (void)close(gpu.fd); /* nothing that is said now would be understood */
        gpu.fd = -1;
    }
    return gpu.ended;
}

cudaError_t wr_client_ask(wr_cuda_request *request, const void *data, uint64_t *a, char **text,
                          uint64_t *text_bytes)
{
    wr_cuda_reply reply;
    if (gpu.ended != cudaSuccess || gpu.fd < 0) {
        return gpu.ended != cudaSuccess ? gpu.ended : cudaErrorNoDevice;
    }
    if (!wr_cuda_send(gpu.fd, request, sizeof *request) ||
        !wr_cuda_send(gpu.fd, data, request->bytes) ||
        !wr_cuda_receive(gpu.fd, &reply, sizeof reply)) {
        return lost();
    }
    char *said = malloc(reply.bytes + 1);
    if (!said || !wr_cuda_receive(gpu.fd, said, reply.bytes) || !take_notes(reply.notes)) {
        free(said);
        return lost();
    }
    said[reply.bytes] = '\0';
    if (reply.error != 0 &&
        request->what == WR_CUDA_WAIT) { /* it comes back from all that follows */
        gpu.ended = (cudaError_t)reply.error;
    }
    if (reply.error != 0 && reply.bytes != 0) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "warpref: %s\n", said);
        if (request->what == WR_CUDA_WAIT && reply.error == cudaErrorIllegalAddress && reply.a) {
            (void)fprintf(stderr, "warpref: 0x%llx %s\n", (unsigned long long)reply.a,
                          wr_both_explain(reply.a));
        }
    }
    if (a) {
        *a = reply.a;
    }
    if (text && reply.error == 0) {
        *text = said;
        *text_bytes = reply.bytes;
    } else {
        free(said);
    }
    return (cudaError_t)reply.error;
}

cudaError_t wr_client_tell(uint32_t what, uint64_t stream, uint64_t a, uint64_t b, uint64_t c)
{
    wr_cuda_request request = {.what = what, .stream = (uint32_t)stream, .a = a, .b = b, .c = c};
    return wr_client_device() ? wr_client_ask(&request, NULL, NULL, NULL, NULL) : cudaErrorNoDevice;
}

cudaError_t wr_client_wait(uint64_t a, uint64_t stream, uint64_t event)
{
    cudaError_t error = wr_managed_push();
    error = error ? error : wr_client_tell(WR_CUDA_WAIT, stream, a, event, 0);
    return error ? error : wr_managed_pull();
}
