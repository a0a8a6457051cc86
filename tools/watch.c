/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is watched: see watch.h. */
#include "tools/watch.h"

#include "files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SHOWN = 65536, /* bytes of what the RTL prints */
    WAITS = 10,    /* as long by the clock as by processor time */
    LOOK = 200,    /* milliseconds between two looks */
    FAILED = 1,
    BAD = 2, /* exit status */
};

/* The parent's side. */
typedef struct guard {
    wr_watch *w;
    pid_t child;
    int output;  /* what the RTL prints; -1: it is at its end */
    int signals; /* signalfd */
    uint64_t printed;
    uint64_t steps;  /* when something moved last, */
    double cpu, now; /* and at which times */
    int asked;       /* signal for the end */
    bool hung, ended;
    int status; /* of waitpid */
} guard;

wr_watch *wr_watch_new(uint64_t seconds, size_t extra)
{
    const size_t size = sizeof(wr_watch) + extra;
    wr_watch *w = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (w == MAP_FAILED) {
        return NULL;
    }
    w->seconds = seconds;
    w->size = size;
    return w;
}

void wr_watch_free(wr_watch *w)
{
    if (w != NULL) {
        (void)munmap(w, w->size);
    }
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

static double child_seconds(const guard *g)
{
    clockid_t clock;

    return clock_getcpuclockid(g->child, &clock) == 0 ? seconds_of(clock) : 0;
}

/* The watched process: never returns. */
static void be_child(wr_watch *w, int output, const sigset_t *mask, pid_t parent,
                     int (*work)(void *arg, FILE *out), void *arg)
{
    const int real = dup(STDOUT_FILENO);
    FILE *out = real >= 0 ? fdopen(real, "w") : NULL;
    int status;

    if (out == NULL || dup2(output, STDOUT_FILENO) < 0) {
        _exit(BAD);
    }
    (void)close(output);
    (void)signal(SIGBUS, SIG_DFL); /* it is the RTL's, and said so */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(BAD);
    }
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    status = work(arg, out);
    bool written = fflush(out) == 0 && !ferror(out);
    w->closed = !written && fcntl(real, F_GETFD) < 0;
    written = fclose(out) == 0 && written;
    if (!written) {
        (void)fprintf(stderr, "standard output cannot be written\n");
        status = BAD;
    }
    (void)fflush(NULL);
    w->whole = true;
    _exit(status);
}

static void write_all(const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(STDERR_FILENO, bytes, size);
        if (n <= 0 && errno != EINTR) {
            return;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
}

/* Passes on what the RTL has printed. */
static void forward(guard *g)
{
    char bytes[16384];
    const ssize_t n = read(g->output, bytes, sizeof(bytes));

    if (n <= 0) {
        if (n == 0 || errno != EINTR) {
            (void)close(g->output);
            g->output = -1;
        }
        return;
    }
    if (g->printed < SHOWN) {
        const uint64_t room = SHOWN - g->printed;
        write_all(bytes, (uint64_t)n < room ? (size_t)n : (size_t)room);
    }
    g->printed += (uint64_t)n;
}

/* Ends the child where it stands still inside the RTL. */
static void look(guard *g)
{
    const uint64_t steps = atomic_load_explicit(&g->w->pulse.steps, memory_order_acquire);
    const double cpu = child_seconds(g);
    const double now = seconds_of(CLOCK_MONOTONIC);
    const double most = (double)g->w->seconds;

    if (steps != g->steps || steps % 2 == 0) {
        g->steps = steps;
        g->cpu = cpu;
        g->now = now;
    } else if (!g->hung && (cpu - g->cpu >= most || now - g->now >= WAITS * most)) {
        g->hung = true;
        (void)kill(g->child, SIGKILL);
    }
}

static void handle_signal(guard *g)
{
    struct signalfd_siginfo info;

    if (read(g->signals, &info, sizeof(info)) != sizeof(info)) {
        return;
    }
    if (info.ssi_signo == SIGCHLD) {
        g->ended = g->ended || waitpid(g->child, &g->status, WNOHANG) == g->child;
    } else {
        g->asked = (int)info.ssi_signo;
        (void)kill(g->child, g->asked);
    }
}

static void watch(guard *g)
{
    while (!g->ended) {
        struct pollfd files[2] = {{.fd = g->signals, .events = POLLIN},
                                  {.fd = g->output, .events = POLLIN}};
        if (poll(files, 2, LOOK) > 0) {
            if (files[1].revents != 0) {
                forward(g);
            }
            if (files[0].revents != 0) {
                handle_signal(g);
            }
        }
        look(g);
    }
    /* The rest, unless a process that the RTL left behind holds the pipe open. */
    while (g->output >= 0 && poll(&(struct pollfd){.fd = g->output, .events = POLLIN}, 1, 0) > 0) {
        forward(g);
    }
    if (g->printed > SHOWN) {
        (void)fprintf(stderr, "\n(the RTL printed %" PRIu64 " bytes more)\n", g->printed - SHOWN);
    }
}

static void judge(const guard *g, wr_watch_end *end)
{
    const wr_pulse *pulse = &g->w->pulse;
    const wr_block_desc *block = atomic_load(&pulse->block);
    const bool inside = atomic_load(&pulse->steps) % 2 == 1;
    char where[128] = "warpref";
    char cycle[64] = "";

    if (block != NULL && inside) {
        (void)snprintf(where, sizeof(where), "the RTL of %s", block->name);
        (void)snprintf(cycle, sizeof(cycle), " in cycle %" PRIu64, atomic_load(&pulse->cycle));
    }
    end->asked = g->asked;
    end->signal = WIFSIGNALED(g->status) && WTERMSIG(g->status) == g->asked ? g->asked : 0;
    if (g->hung) {
        (void)snprintf(end->text, sizeof(end->text),
                       "%s hangs%s: one step of it took more than %" PRIu64
                       " s of processor time, or %" PRIu64
                       " s by the clock (--watchdog); a loop without end, most likely",
                       where, cycle, g->w->seconds, WAITS * g->w->seconds);
    } else if (WIFSIGNALED(g->status) && WTERMSIG(g->status) != g->asked) {
        (void)snprintf(end->text, sizeof(end->text), "%s crashed%s: %s%s", where, cycle,
                       strsignal(WTERMSIG(g->status)),
                       inside ? "" : "; maybe over memory that the RTL has overwritten before");
    } else if (WIFEXITED(g->status) && !g->w->whole) {
        (void)snprintf(end->text, sizeof(end->text), "%s ended the process%s, with exit status %d",
                       where, cycle, WEXITSTATUS(g->status));
    }
    if (end->text[0] == '\0' && g->w->closed) {
        (void)snprintf(end->text, sizeof(end->text),
                       "%s%s closed the process's descriptors, so that its report is lost",
                       block != NULL ? "the RTL of " : "RTL", block != NULL ? block->name : "");
        end->status = FAILED;
        return;
    }
    end->status = g->w->whole ? WEXITSTATUS(g->status) : FAILED;
}

wr_watch_end wr_watch_run(wr_watch *w, int (*work)(void *arg, FILE *out), void *arg)
{
    wr_watch_end end = {.status = BAD};
    guard g = {.w = w, .output = -1, .signals = -1};
    const pid_t parent = getpid();
    sigset_t taken;
    sigset_t before;
    struct sigaction hangup;
    int pipes[2];

    wr_replace_watch();
    (void)fflush(NULL);
    if (atomic_load(&w->pulse.steps) % 2 == 1) { /* the process before ended inside the RTL */
        wr_pulse_leave(&w->pulse);
    }
    (void)sigemptyset(&taken);
    (void)sigaddset(&taken, SIGCHLD);
    (void)sigaddset(&taken, SIGINT);
    (void)sigaddset(&taken, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) { /* no nohup */
        (void)sigaddset(&taken, SIGHUP);
    }
    if (pipe(pipes) != 0) {
        (void)fprintf(stderr, "no pipe can be had: %s\n", strerror(errno));
        return end;
    }
    (void)sigprocmask(SIG_BLOCK, &taken, &before);
    g.signals = signalfd(-1, &taken, SFD_CLOEXEC);
    g.child = g.signals >= 0 ? fork() : -1;
    if (g.child == 0) {
        (void)close(pipes[0]);
        (void)close(g.signals);
        be_child(w, pipes[1], &before, parent, work, arg);
    }
    (void)close(pipes[1]);
    if (g.child > 0) {
        g.output = pipes[0];
        g.cpu = child_seconds(&g);
        g.now = seconds_of(CLOCK_MONOTONIC);
        watch(&g);
        judge(&g, &end);
        if (!w->whole) {
            wr_replace_abandon();
        }
    } else {
        (void)fprintf(stderr, "no process can be had: %s\n", strerror(errno));
        (void)close(pipes[0]);
    }
    if (g.output >= 0) {
        (void)close(g.output);
    }
    if (g.signals >= 0) {
        (void)close(g.signals);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return end;
}
