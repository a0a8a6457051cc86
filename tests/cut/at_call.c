/* SPDX-License-Identifier: Apache-2.0 */
/* LD_PRELOAD: sends the process a signal in front of its N-th call that has to do with files, so
 * that a test can interrupt a command at each of them, and at the same ones each time.
 *
 *   WR_AT_CALL=N        which; none where it is more than there are
 *   WR_AT_SIGNAL=S      its number
 *   WR_AT_COUNT=FILE    gets how many calls there were, and their names
 *
 * Processes that the command starts are left alone.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pid_t process;
static unsigned long calls, at;
static int sent, names = -1;

__attribute__((constructor)) static void begin(void)
{
    const char *count = getenv("WR_AT_COUNT");
    const char *number = getenv("WR_AT_CALL");
    const char *with = getenv("WR_AT_SIGNAL");

    process = getpid();
    at = number ? strtoul(number, NULL, 10) : 0;
    sent = with ? atoi(with) : SIGINT;
    (void)unsetenv("LD_PRELOAD");
    if (count) {
        int (*make)(const char *, int, ...) =
            (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");

        names = make(count, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
}

static void call(const char *name)
{
    if (getpid() != process) {
        return;
    }
    if (names >= 0) {
        (void)!write(names, name, strlen(name));
        (void)!write(names, "\n", 1);
    }
    if (++calls == at) {
        (void)kill(process, sent);
    }
}

#define NEXT(type, name, ...)                                                                      \
    static type (*next)(__VA_ARGS__);                                                              \
    if (!next) {                                                                                   \
        next = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);                                       \
    }                                                                                              \
    call(name)

#define OPENS(of)                                                                                  \
    int of(const char *path, int flags, ...)                                                       \
    {                                                                                              \
        va_list list;                                                                              \
        NEXT(int, #of, const char *, int, ...);                                                    \
        va_start(list, flags);                                                                     \
        const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;     \
        va_end(list);                                                                              \
        return next(path, flags, mode);                                                            \
    }

#define STREAM(of)                                                                                 \
    FILE *of(const char *path, const char *mode)                                                   \
    {                                                                                              \
        NEXT(FILE *, #of, const char *, const char *);                                             \
        return next(path, mode);                                                                   \
    }

OPENS(open)
OPENS(open64)
STREAM(fopen)
STREAM(fopen64)

int fclose(FILE *file)
{
    NEXT(int, "fclose", FILE *);
    return next(file);
}

int close(int file)
{
    NEXT(int, "close", int);
    return next(file);
}

int fsync(int file)
{
    NEXT(int, "fsync", int);
    return next(file);
}

int rename(const char *from, const char *to)
{
    NEXT(int, "rename", const char *, const char *);
    return next(from, to);
}

int unlink(const char *path)
{
    NEXT(int, "unlink", const char *);
    return next(path);
}

int linkat(int from, const char *old, int to, const char *path, int flags)
{
    NEXT(int, "linkat", int, const char *, int, const char *, int);
    return next(from, old, to, path, flags);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(int, "mkdir", const char *, mode_t);
    return next(path, mode);
}
