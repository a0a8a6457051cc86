// SPDX-License-Identifier: Apache-2.0
// What programs do with processes, descriptors and signals beside their GPU. Each case runs in a
// process of its own: processes NAME; without a name it lists them, each with the exit status and a
// text that it must end with and say.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define WANT(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("process %d, line %d: not so: %s\n", getpid(), __LINE__, #condition);           \
            fflush(stdout);                                                                        \
            _exit(9);                                                                              \
        }                                                                                          \
    } while (0)

__global__ void count(int *a)
{
    a[threadIdx.x] += threadIdx.x + 1;
}
__global__ void spin(volatile int *a, int times)
{
    for (int i = 0; times == 0 || i < times; i++) {
        if (*a == -1) {
            break;
        }
    }
}

static int *at;

// All of it through the GPU: the values are right.
static void works()
{
    int h[32];
    if (!at) {
        WANT(cudaMalloc(&at, sizeof h) == cudaSuccess);
    }
    WANT(cudaMemset(at, 0, sizeof h) == cudaSuccess);
    count<<<1, 32>>>(at);
    WANT(cudaMemcpy(h, at, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < 32; i++) {
        WANT(h[i] == i + 1);
    }
}

// Every call returns error 3, and no data come.
static void has_none()
{
    int h[32] = {0}, number = 7;
    void *p;
    size_t bytes;
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    cudaDeviceProp prop;
    cudaFuncAttributes attributes;
    cudaPointerAttributes pointer;
    enum cudaFuncCache cache;
    const cudaError_t said[] = {cudaMalloc(&p, 4),
                                cudaMemcpy(h, at, sizeof h, cudaMemcpyDeviceToHost),
                                cudaMemset(at, 0, 4),
                                cudaFree(at),
                                cudaMallocManaged(&p, 4),
                                cudaHostAlloc(&p, 4, cudaHostAllocMapped),
                                cudaMallocHost(&p, 4),
                                cudaGetDeviceCount(&number),
                                cudaSetDevice(0),
                                cudaGetDevice(&number),
                                cudaGetDeviceProperties(&prop, 0),
                                cudaDeviceSynchronize(),
                                cudaDeviceReset(),
                                cudaStreamCreate(&stream),
                                cudaStreamSynchronize(NULL),
                                cudaEventCreate(&event),
                                cudaMemGetInfo(&bytes, &bytes),
                                cudaFuncGetAttributes(&attributes, count),
                                cudaPointerGetAttributes(&pointer, at),
                                cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20),
                                cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize),
                                cudaDeviceSetCacheConfig(cudaFuncCachePreferL1),
                                cudaDeviceGetCacheConfig(&cache),
                                cudaSetDeviceFlags(cudaDeviceScheduleAuto),
                                cudaDeviceGetStreamPriorityRange(&number, &number),
                                cudaProfilerStart(),
                                cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0)};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (said[i] != cudaErrorInitializationError) {
            printf("call %zu returned %s\n", i, cudaGetErrorName(said[i]));
        }
        WANT(said[i] == cudaErrorInitializationError);
    }
    cudaGetLastError();
    count<<<1, 32>>>(at);
    WANT(cudaGetLastError() == cudaErrorInitializationError);
    WANT(h[31] == 0);
}

// The child does this and ends so; its exit status.
enum end { EXIT, UNDERSCORE, ABORT };
static int child(void (*does)(), end how)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (does) {
            does();
        }
        if (how == ABORT) {
            struct rlimit none = {0, 0};
            setrlimit(RLIMIT_CORE, &none);
            abort();
        }
        how == EXIT ? exit(5) : _exit(5);
    }
    WANT(pid > 0 && waitpid(pid, &status, 0) == pid);
    WANT(how == ABORT ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT : WIFEXITED(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

static void ends(end how)
{
    works();
    WANT(child(NULL, how) == 5);
    works();
}
static void child_exits()
{
    ends(EXIT);
}
static void child_underscore()
{
    ends(UNDERSCORE);
}
static void child_aborts()
{
    ends(ABORT);
}

static void child_uses()
{
    works();
    WANT(child(has_none, EXIT) == 5);
    works();
}

static void grandchild()
{
    WANT(child(has_none, EXIT) == 5);
}
static void double_fork()
{
    works();
    WANT(child(grandchild, UNDERSCORE) == 5);
    works();
}

// Neither has called before: each has a GPU.
static void own()
{
    works();
    WANT(child(has_none, EXIT) == 5);
    works();
}
static void fork_first()
{
    WANT(child(own, EXIT) == 5);
    works();
    WANT(child(has_none, EXIT) == 5);
    works();
}

static int into[2];
static void tell()
{
    WANT(write(into[1], "done", 4) == 4);
}
// A daemon's parent has ended: what became of it comes through a pipe.
static void daemon_tells(void (*does)())
{
    char said[8] = "";
    WANT(pipe(into) == 0);
    fflush(stdout);
    if (fork() == 0) {
        if (daemon(1, 1) == 0) {
            does();
            tell();
        }
        exit(0);
    }
    wait(NULL);
    WANT(read(into[0], said, 4) == 4 && strcmp(said, "done") == 0);
}
static void daemon_first()
{
    daemon_tells(works);
}
static void daemon_behind()
{
    works();
    daemon_tells(has_none);
    works();
}

static void other_programs()
{
    int status;
    pid_t pid;
    char name[] = "true", *words[] = {name, NULL};
    works();
    WANT(system("exit 3") == 3 << 8);
    WANT(posix_spawnp(&pid, "true", NULL, NULL, words, environ) == 0 &&
         waitpid(pid, &status, 0) == pid && status == 0);
    if ((pid = vfork()) == 0) {
        execvp("true", words);
        _exit(1);
    }
    WANT(waitpid(pid, &status, 0) == pid && status == 0);
    if ((pid = fork()) == 0) {
        for (int fd = 3; fd < 1024; fd++) {
            close(fd);
        }
        execvp("true", words);
        _exit(1);
    }
    WANT(waitpid(pid, &status, 0) == pid && status == 0);
    FILE *f = popen("echo 7", "r");
    WANT(f && fgetc(f) == '7' && pclose(f) == 0);
    works();
}

// No handler of fork runs for these.
static void raw_fork()
{
    int status;
    works();
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
            if (i == 1) {
                has_none();
            }
            exit(5);
        }
        WANT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
        works();
    }
}

static std::atomic<bool> over;
static void *busy(void *)
{
    int *p, h[8];
    WANT(cudaMalloc(&p, sizeof h) == cudaSuccess);
    for (int i = 0; !over; i++) {
        WANT(cudaMemset(p, i, sizeof h) == cudaSuccess &&
             cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
        WANT(h[7] == (i & 255) * 0x01010101);
    }
    return NULL;
}
// The lock may be another thread's at a fork.
static void threads()
{
    pthread_t thread[2];
    works();
    for (pthread_t &t : thread) {
        WANT(pthread_create(&t, NULL, busy, NULL) == 0);
    }
    for (int i = 0; i < 30; i++) {
        WANT(child(has_none, EXIT) == 5);
    }
    over = true;
    for (pthread_t t : thread) {
        pthread_join(t, NULL);
    }
    works();
}

static void forks_and_exits(int)
{
    if (fork() == 0) {
        exit(0);
    }
}
static void every(int microseconds, void (*handler)(int))
{
    struct sigaction action = {};
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}
static void fork_in_handler()
{
    works();
    every(20000, forks_and_exits);
    spin<<<1, 32>>>(at, 3000);
    WANT(cudaDeviceSynchronize() == cudaSuccess);
    every(0, SIG_IGN);
    works();
}

// In the middle of a call; the GPU's work is cut, which is no good end.
static void leaves(int)
{
    exit(0);
}
static void exit_in_handler()
{
    works();
    every(200000, leaves);
    spin<<<1, 32>>>(at, 0);
    WANT(cudaDeviceSynchronize() == cudaSuccess);
}

// The GPU's process is no child of the program.
static void waits_for_all()
{
    works();
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            exit(0);
        }
    }
    int count = 0;
    while (wait(NULL) > 0) {
        count++;
    }
    WANT(count == 3 && errno == ECHILD);
    works();
}

static std::atomic<int> ended;
static void on_child(int)
{
    while (waitpid(-1, NULL, WNOHANG) > 0) {
        ended++;
    }
}
static void reaper()
{
    signal(SIGCHLD, on_child);
    works();
    WANT(ended == 0);
}
static void ignores_children()
{
    signal(SIGCHLD, SIG_IGN);
    works();
}

// A pipe of the program's ends when the program closes it.
static void pipe_ends()
{
    char c;
    int p[2];
    WANT(pipe(p) == 0);
    works();
    close(p[1]);
    struct pollfd look = {p[0], POLLIN, 0};
    WANT(poll(&look, 1, 60000) == 1 && read(p[0], &c, 1) == 0);
    works();
}

// Whatever number the GPU's socket had: another socket has it now, and gets nothing.
static void occupy(bool by_loop)
{
    struct rlimit limit;
    std::vector<int> all;
    int pair[2];
    char c;
    works();
    fflush(stdout);
    getrlimit(RLIMIT_NOFILE, &limit);
    if (by_loop) {
        for (int fd = 3; fd < (int)limit.rlim_cur && fd < 1 << 16; fd++) {
            close(fd);
        }
    } else {
        closefrom(3);
    }
    limit.rlim_cur = limit.rlim_max < 2048 ? limit.rlim_max : 2048;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        all.push_back(pair[0]);
        all.push_back(pair[1]);
    }
    WANT(all.size() > 900);
    cudaError_t error = cudaMemset(at, 0, 4);
    WANT(error == cudaErrorUnknown && cudaDeviceSynchronize() == cudaErrorUnknown);
    for (int fd : all) {
        WANT(recv(fd, &c, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    }
}
static void close_loop()
{
    occupy(true);
}
static void close_from()
{
    occupy(false);
}
// At the very end nothing is left to be told.
static void close_at_end()
{
    works();
    closefrom(3);
}

static const struct {
    const char *name;
    void (*run)();
    int status;
    const char *says;
} cases[] = {{"child_exits", child_exits, 0, ""},
             {"child_underscore", child_underscore, 0, ""},
             {"child_aborts", child_aborts, 0, ""},
             {"child_uses", child_uses, 0, "was forked behind its parent's first call of CUDA"},
             {"double_fork", double_fork, 0, "was forked behind"},
             {"fork_first", fork_first, 0, "was forked behind"},
             {"daemon_first", daemon_first, 0, ""},
             {"daemon_behind", daemon_behind, 0, "was forked behind"},
             {"other_programs", other_programs, 0, ""},
             {"raw_fork", raw_fork, 0, "was forked behind"},
             {"threads", threads, 0, "was forked behind"},
             {"fork_in_handler", fork_in_handler, 0, ""},
             {"exit_in_handler", exit_in_handler, 1, ""},
             {"waits_for_all", waits_for_all, 0, ""},
             {"reaper", reaper, 0, ""},
             {"ignores_children", ignores_children, 0, ""},
             {"pipe_ends", pipe_ends, 0, ""},
             {"close_loop", close_loop, 1, "the program has closed descriptor"},
             {"close_from", close_from, 1, "the program has closed descriptor"},
             {"close_at_end", close_at_end, 1, "the program has closed descriptor"}};

int main(int words, char **word)
{
    for (const auto &c : cases) {
        if (words < 2) {
            printf("%s %d %s\n", c.name, c.status, c.says);
        } else if (strcmp(c.name, word[1]) == 0) {
            alarm(120); // what hangs ends
            c.run();
            printf("GOOD\n");
            return 0;
        }
    }
    return words < 2 ? 0 : 2;
}
