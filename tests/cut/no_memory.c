/* SPDX-License-Identifier: Apache-2.0 */
/* LD_PRELOAD: memory runs out at the N-th allocation of the process.
 *
 *   WR_NO_MEMORY=N        the first that fails; none where there are fewer
 *   WR_NO_MEMORY_FOR=M    how many fail (1); 0: all from there on
 *   WR_NO_MEMORY_COUNT=F  gets the number of allocations
 *
 * Processes that the command starts have all the memory there is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): glibc's names for what it allocates with itself */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

static atomic_ulong count;
static unsigned long first, end;
static pid_t process;
static const char *told;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("WR_NO_MEMORY");
    const char *many = getenv("WR_NO_MEMORY_FOR");
    const unsigned long for_so_many = many ? strtoul(many, NULL, 10) : 1;

    told = getenv("WR_NO_MEMORY_COUNT");
    (void)unsetenv("LD_PRELOAD");
    first = number ? strtoul(number, NULL, 10) : 0;
    end = for_so_many != 0 ? first + for_so_many : (unsigned long)-1;
    atomic_store(&count, 0);
    process = getpid();
}

__attribute__((destructor)) static void tell(void)
{
    char text[32];
    const int file =
        told && getpid() == process ? open(told, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    if (file >= 0) {
        const int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&count));

        (void)!write(file, text, (size_t)n);
        (void)close(file);
    }
}

static bool fails(void)
{
    if (process == 0 || getpid() != process) {
        return false;
    }
    const unsigned long at = atomic_fetch_add(&count, 1) + 1;

    if (first != 0 && at >= first && at < end) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}
