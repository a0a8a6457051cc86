/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a reference that is not compiled in, and what became of it: see own_reference.h.
 */
#include "shell/host/own_reference.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shell/config/regular.h"
#include "shell/host/own_parts.h"

enum { ALIGN = 256, LOOK = 50 /* milliseconds between two looks at the process */ };

/* Where a message about a reference goes. */
typedef struct teller {
    const wr_loaded_file *loaded;
    const char *text;
    unsigned line;
    wr_diag *diag;
} teller;

static bool tell(const teller *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool tell(const teller *t, const char *format, ...)
{
    char why[WR_DIAG_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, sizeof why, format, args);
    va_end(args);
    wr_diag_set(t->diag, t->loaded->path, t->line, 0, "reference '%s' %s", t->text, why);
    return false;
}

bool wr_own_reference_is(const char *text)
{
    return strchr(text, ':') != NULL;
}

char *wr_own_reference_path(const wr_loaded_file *loaded, const char *text)
{
    char *name = strndup(text, (size_t)(strrchr(text, ':') - text));
    char *path = name ? wr_launch_file_path(loaded, name) : NULL;
    free(name);
    return path;
}

wr_own_memory *wr_own_memory_new(const wr_launch_file *file)
{
    wr_own_memory *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    *m = (wr_own_memory){.fd = memfd_create("buffers", 0), .file = file, .size = ALIGN};
    m->size = (sizeof *m->control + ALIGN - 1) / ALIGN * ALIGN;
    m->at = calloc(file->buffer_count + 1u, sizeof *m->at);
    for (unsigned i = 0; m->at && i < file->buffer_count; i++) {
        m->at[i] = m->size;
        m->size += (size_t)(file->buffers[i].bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
    void *base = m->at && m->fd >= 0 && ftruncate(m->fd, (off_t)m->size) == 0
                     ? mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0)
                     : MAP_FAILED;
    if (base == MAP_FAILED) {
        wr_own_memory_free(m);
        return NULL;
    }
    m->base = base;
    m->control = base;
    return m;
}

void wr_own_memory_free(wr_own_memory *m)
{
    if (!m) {
        return;
    }
    if (m->base) {
        (void)munmap(m->base, m->size);
    }
    if (m->fd >= 0) {
        (void)close(m->fd);
    }
    free(m->at);
    free(m);
}

uint8_t *wr_own_memory_buffer(const wr_own_memory *m, unsigned index)
{
    return m->base + m->at[index];
}

/* The process: never returns. What it prints goes to standard error, so that reports stay whole. */
static void be_child(const wr_own_kind *kind, const wr_own_call *call, const sigset_t *mask,
                     pid_t parent)
{
    static const int crashes[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        (void)signal(crashes[i], SIG_DFL); /* they are the reference's, and said so */
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    kind->work(call);
    (void)fflush(NULL);
    call->memory->control->whole = true;
    _exit(0);
}

/* Signals that ask for the end, as far as this process heeds them. */
static sigset_t asking(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            (void)sigaddset(&set, signals[i]);
        }
    }
    return set;
}

/* Waits for the process, and ends it where a signal came: 0, or its number. Its end closes the pipe
 * `alive`, so that nobody waits for longer than it takes; so may the process before. */
static int wait_for(pid_t child, int alive, const sigset_t *asked, int *status)
{
    const struct timespec at_once = {0};
    struct pollfd file = {.fd = alive, .events = POLLIN};
    while (waitpid(child, status, WNOHANG) == 0) {
        const int signal = sigtimedwait(asked, NULL, &at_once);
        if (signal > 0) {
            (void)kill(child, SIGKILL);
            (void)waitpid(child, status, 0);
            return signal;
        }
        if (poll(&file, 1, file.fd >= 0 ? LOOK : 1) > 0 && file.revents != 0) {
            file.fd = -1;
        }
    }
    return 0;
}

/* What the end of the process says. */
static bool judge(const teller *t, const wr_own_control *c, int status)
{
    char where[48] = "";
    if (c->calls > 0) {
        (void)snprintf(where, sizeof where, " in its call %" PRIu64, c->calls);
    }
    if (WIFSIGNALED(status)) {
        return tell(t, "crashed%s: %s", where, strsignal(WTERMSIG(status)));
    }
    if (!c->whole) {
        return tell(t, "ended its process%s, with exit status %d", where, WEXITSTATUS(status));
    }
    return c->error[0] == '\0' || tell(t, "%.*s", (int)sizeof c->error, c->error);
}

static bool run(const teller *t, const wr_own_kind *kind, wr_own_call *call)
{
    const pid_t parent = getpid();
    const sigset_t asked = asking();
    sigset_t before;
    int alive[2] = {-1, -1};
    int status = 0;
    *call->memory->control = (wr_own_control){0};
    (void)fflush(NULL);
    if ((kind->prepare && !kind->prepare(call)) || pipe(alive) != 0) {
        return tell(t, "cannot be started: %s", strerror(errno));
    }
    (void)sigprocmask(SIG_BLOCK, &asked, &before);
    const pid_t child = fork();
    if (child == 0) {
        (void)close(alive[0]);
        be_child(kind, call, &before, parent);
    }
    (void)close(alive[1]);
    const int came = child > 0 ? wait_for(child, alive[0], &asked, &status) : 0;
    (void)close(alive[0]);
    bool ok = child > 0 ? judge(t, call->memory->control, status)
                        : tell(t, "cannot be started: %s", strerror(errno));
    if (came) {
        ok = tell(t, "was interrupted in its call %" PRIu64, call->memory->control->calls);
        if (!sigismember(&before, came)) { /* else somebody else looks for it */
            wr_diag_print(t->diag, stderr);
        }
        (void)raise(came);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* Takes the text apart, and runs it. */
static bool open_and_run(const teller *t, wr_own_memory *memory, wr_own_launches launches)
{
    static const wr_own_kind *const kinds[] = {&wr_own_so, &wr_own_py};
    const char *colon = strrchr(t->text, ':');
    char *path = wr_own_reference_path(t->loaded, t->text);
    char *real = path ? realpath(path, NULL) : NULL; /* dlopen looks elsewhere for bare names */
    const char *dot = path ? strrchr(path, '.') : NULL;
    const wr_own_kind *kind = NULL;
    wr_own_call call = {
        .path = real, .function = colon + 1, .memory = memory, .launches = launches};
    bool ok = false;
    for (size_t i = 0; dot && i < sizeof kinds / sizeof kinds[0]; i++) {
        kind = strcmp(dot, kinds[i]->ending) == 0 ? kinds[i] : kind;
    }
    const char *why = path ? wr_regular_file(path, NULL) : "out of memory";
    if (!kind || !colon[1]) {
        tell(t, "is neither FILE.so:FUNCTION nor FILE.py:FUNCTION");
    } else if (why || !real || access(real, R_OK) != 0) {
        tell(t, "cannot be read: %s", why ? why : strerror(errno));
    } else {
        ok = run(t, kind, &call);
    }
    if (call.list) {
        (void)fclose(call.list);
    }
    free(real);
    free(path);
    return ok;
}

bool wr_own_reference_try(const wr_loaded_file *loaded, const char *text, unsigned line,
                          wr_diag *diag)
{
    static const wr_launch_file nothing;
    const teller t = {loaded, text, line, diag};
    wr_own_memory *memory = wr_own_memory_new(&nothing);
    bool ok = memory ? open_and_run(&t, memory, (wr_own_launches){0})
                     : tell(&t, "cannot be started: out of memory");
    wr_own_memory_free(memory);
    return ok;
}

/* Does any buffer differ from what it began with? */
static bool wrote(const wr_own_memory *m)
{
    for (unsigned i = 0; i < m->file->buffer_count; i++) {
        const wr_launch_buffer *b = &m->file->buffers[i];
        if (memcmp(wr_own_memory_buffer(m, i), b->data, (size_t)b->bytes) != 0) {
            return true;
        }
    }
    return false;
}

bool wr_own_reference_run(const wr_loaded_file *loaded, const char *text, unsigned line,
                          wr_own_memory *memory, wr_own_launches launches, wr_diag *diag)
{
    const teller t = {loaded, text, line, diag};
    if (!open_and_run(&t, memory, launches)) {
        return false;
    }
    return memory->control->calls == 0 || wrote(memory) ||
           tell(&t, "left every buffer as it was; it is to write what the kernel writes into the "
                    "buffers that it gets");
}
