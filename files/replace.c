/* SPDX-License-Identifier: Apache-2.0 */
/* See replace.h. */
#include "files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LINKS = 16, MOST_NAMES = 100, MOST_GROWING = 256 };

/* Names of files that writers have open: a signal handler and another process see them. */
typedef char path_text[PATH_MAX];
static path_text *growing;

void wr_replace_watch(void)
{
    if (!growing) {
        void *map = mmap(NULL, MOST_GROWING * sizeof *growing, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        growing = map != MAP_FAILED ? map : NULL;
    }
}

/* Puts `to` where `from` stands; "" is a free place. */
static void note_growing(const char *from, const char *to)
{
    for (uint32_t i = 0; growing && i < MOST_GROWING; i++) {
        if (strcmp(growing[i], from) == 0) {
            (void)snprintf(growing[i], sizeof growing[i], "%s", to);
            return;
        }
    }
}

void wr_replace_abandon(void)
{
    static const char hier[] = ".hier";

    for (uint32_t i = 0; growing && i < MOST_GROWING; i++) {
        const size_t length = strlen(growing[i]);

        if (length != 0) {
            (void)unlink(growing[i]);
        }
        if (length != 0 && length + sizeof hier <= sizeof growing[i]) {
            memcpy(growing[i] + length, hier, sizeof hier);
            (void)unlink(growing[i]);
        }
        growing[i][0] = '\0';
    }
}

/* The real path of a file that is not there; slash: the last one of its name, or NULL. */
static char *in_folder(char *name, char *slash)
{
    const char *base = slash ? slash + 1 : name;
    char *whole = NULL;

    if (slash) {
        *slash = '\0';
    }
    char *folder = realpath(!slash ? "." : name[0] ? name : "/", NULL);

    if (folder && asprintf(&whole, "%s/%s", folder, base) < 0) {
        whole = NULL;
    }
    free(folder);
    return whole;
}

char *wr_replace_target(const char *path)
{
    char name[PATH_MAX];
    char target[PATH_MAX];

    (void)snprintf(name, sizeof name, "%s", path);
    for (int links = 0; links < MOST_LINKS; links++) {
        char *whole = realpath(name, NULL);

        if (whole || (errno != ENOENT && errno != ENOTDIR)) {
            return whole;
        }
        char *slash = strrchr(name, '/');
        const ssize_t n = readlink(name, target, sizeof target - 1);

        if (n < 0) { /* no link: it will be made here */
            return in_folder(name, slash);
        }
        target[n] = '\0';
        char *last = slash && target[0] != '/' ? slash + 1 : name; /* what the link stands for */

        (void)snprintf(last, sizeof name - (size_t)(last - name), "%s", target);
    }
    errno = ELOOP;
    return NULL;
}

/* Which of this process's outputs the file is: another in its place would be lost. -1: none. */
static int standard(const struct stat *st)
{
    struct stat of;

    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &of) == 0 && of.st_dev == st->st_dev && of.st_ino == st->st_ino) {
            return fd;
        }
    }
    return -1;
}

/* Calls make(r) with names beside the file until one is free. -1 with errno set: none is. */
static int make_beside(wr_replace *r, int (*make)(const wr_replace *r))
{
    for (int i = 0; i < MOST_NAMES; i++) {
        if (asprintf(&r->beside, i == 0 ? "%s.%ld.new" : "%s.%ld.%d.new", r->path, (long)getpid(),
                     i) < 0) {
            r->beside = NULL;
            errno = ENOMEM;
            return -1;
        }
        const int made = make(r);

        if (made >= 0) {
            return made;
        }
        const int error = errno;

        free(r->beside);
        r->beside = NULL;
        errno = error;
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
}

static int create(const wr_replace *r)
{
    return open(r->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Gives the file without a name one. */
static int name_it(const wr_replace *r)
{
    char self[64];

    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(r->file));
    return linkat(AT_FDCWD, self, AT_FDCWD, r->beside, AT_SYMLINK_FOLLOW);
}

/* Until restored no signal comes between a file and the note of its name. */
static sigset_t block_signals(void)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

static void restore_signals(const sigset_t *before)
{
    const int error = errno;

    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

/* A new file of a name beside it, which wr_replace_abandon knows. */
static int make_noted(wr_replace *r)
{
    wr_replace_watch();
    const sigset_t before = block_signals();
    const int fd = make_beside(r, create);

    if (fd >= 0) {
        note_growing("", r->beside);
    }
    restore_signals(&before);
    return fd;
}

/* A descriptor for a new file in the folder of r->path. -1 with errno set. */
static int open_beside(wr_replace *r)
{
    const size_t folder = (size_t)(strrchr(r->path, '/') - r->path);
    char *name = strndup(r->path, folder != 0 ? folder : 1);
    const int fd = name ? open(name, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;

    free(name);
    r->nameless = fd >= 0 && access("/proc/self/fd", X_OK) == 0;
    if (fd >= 0 && !r->nameless) {
        (void)close(fd);
    }
    return r->nameless ? fd : make_noted(r);
}

/* Waits for a reader, or a signal: an open that waits would begin again behind a handler. */
static int open_pipe(const char *path)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    sigset_t all;
    sigset_t before;
    bool told = false;
    int fd;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    while ((fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO) {
        if (!told) {
            (void)fprintf(stderr, "%s: a pipe that nobody reads; waiting for a reader\n", path);
            told = true;
        }
        if (ppoll(NULL, 0, &pause, &before) < 0) {
            break;
        }
    }
    const int error = errno;

    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    if (fd >= 0 && fcntl(fd, F_SETFL, 0) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static int open_in_place(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void forget(wr_replace *r)
{
    free(r->path);
    free(r->beside);
    *r = (wr_replace){0};
}

bool wr_replace_open_name(wr_replace *r, const char *path)
{
    struct stat st;
    const bool is_there = stat(path, &st) == 0;
    int fd = -1;

    *r = (wr_replace){.path = wr_replace_target(path)};
    if (is_there && (!S_ISREG(st.st_mode) || standard(&st) >= 0)) {
        errno = EINVAL;
    } else if (r->path && (!is_there || access(r->path, W_OK) == 0)) {
        fd = make_noted(r);
    }
    if (fd < 0 || close(fd) != 0) {
        const int error = errno;

        forget(r);
        errno = error;
        return false;
    }
    r->mode = is_there ? st.st_mode & 07777 : 0;
    return true;
}

static bool open_new(wr_replace *r, const char *path, bool beside)
{
    struct stat st;
    const bool is_there = stat(path, &st) == 0;
    const int own = is_there ? standard(&st) : -1;
    const bool in_place = is_there && (!S_ISREG(st.st_mode) || own >= 0);
    int fd = -1;

    /* the target of a link in /proc has no name that can be opened */
    *r = (wr_replace){.path = in_place ? strdup(path) : wr_replace_target(path)};
    if (r->path && in_place && beside) {
        errno = EINVAL;
    } else if (r->path && in_place) {
        fd = own >= 0               ? fcntl(own, F_DUPFD_CLOEXEC, 0) /* behind what is there */
             : S_ISFIFO(st.st_mode) ? open_pipe(path)
                                    : open_in_place(path);
    } else if (r->path && is_there && access(r->path, W_OK) != 0) {
        fd = -1; /* a file that may not be written is not replaced either */
    } else if (r->path) {
        fd = open_beside(r);
        r->mode = is_there ? st.st_mode & 07777 : 0;
        if (fd >= 0 && is_there) {
            (void)fchmod(fd, r->mode);
        } else if (fd < 0 && is_there && !beside && (errno == EACCES || errno == EROFS)) {
            fd = open_in_place(r->path);
        }
    }
    r->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!r->file) {
        const int error = errno;

        if (fd >= 0) {
            (void)close(fd);
        }
        if (r->beside) {
            (void)unlink(r->beside);
            note_growing(r->beside, "");
        }
        forget(r);
        errno = error;
        return false;
    }
    return true;
}

bool wr_replace_open(wr_replace *r, const char *path)
{
    return open_new(r, path, false);
}

bool wr_replace_open_beside(wr_replace *r, const char *path)
{
    return open_new(r, path, true);
}

bool wr_replace_close(wr_replace *r, bool keep)
{
    if (!r->path) {
        return true;
    }
    errno = 0;
    bool good = r->file ? fflush(r->file) == 0 && ferror(r->file) == 0
                        : !keep || r->mode == 0 || chmod(r->beside, r->mode) == 0;
    int error = errno;

    const bool regular = r->nameless || r->beside;
    const sigset_t before = regular ? block_signals() : (sigset_t){{0}};

    if (r->nameless && good && keep && make_beside(r, name_it) < 0) {
        good = false;
        error = errno;
    }
    if (r->file && fclose(r->file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (r->beside && good && keep && rename(r->beside, r->path) != 0) {
        good = false;
        error = errno;
    }
    if (r->beside && (!good || !keep)) {
        (void)unlink(r->beside);
    }
    if (r->beside) {
        note_growing(r->beside, "");
    }
    if (regular) {
        restore_signals(&before);
    }
    forget(r);
    errno = error;
    return good || !keep;
}
