/* SPDX-License-Identifier: Apache-2.0 */
/* Digest of Verilator's log: see rtl_log.h.
 *
 * A fault of the RTL's own lines is shown as Verilator words it. What it words in terms of our
 * generated wrapper, which the user did not write, is said in terms of ports: the wrapper
 * connects by name, so a name that is not there, a width or a missing module show on its lines.
 */
#include "dpi/rtl_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies what stands in quotes behind `mark`; false where the line has none. */
static bool quoted(const char *line, const char *mark, char *name, size_t size)
{
    const char *from = strstr(line, mark);
    const char *to;

    if (from == NULL) {
        return false;
    }
    from += strlen(mark);
    to = strchr(from, '\'');
    if (to == NULL || (size_t)(to - from) >= size) {
        return false;
    }
    memcpy(name, from, (size_t)(to - from));
    name[to - from] = '\0';
    return true;
}

/* The number behind `mark`, or 0. */
static unsigned long number(const char *line, const char *mark)
{
    const char *at = strstr(line, mark);

    return at != NULL ? strtoul(at + strlen(mark), NULL, 10) : 0;
}

/* What one line of the log says; false where it is no fault. */
static bool fault_of(const char *line, const char *folder, char *text, size_t size)
{
    static const char error[] = "%Error";
    const char *at = strstr(line, ": ");
    char name[256];

    if (strncmp(line, "%Warning-WIDTH", 14) == 0 && strstr(line, "_wrap.sv:") != NULL &&
        quoted(line, "connection '", name, sizeof(name))) {
        (void)snprintf(text, size, "port '%s' is %lu bits wide, the block's is %lu", name,
                       number(line, "' expects "), number(line, " generates "));
        return true;
    }
    if (strncmp(line, error, sizeof(error) - 1) != 0 || at == NULL ||
        strstr(line, "Exiting due to") != NULL) {
        return false;
    }
    if (quoted(line, "Parameter pin not found: '", name, sizeof(name))) {
        (void)snprintf(text, size, "no parameter '%s'", name);
    } else if (quoted(line, "in/out/inout/param/interface: '", name, sizeof(name))) {
        (void)snprintf(text, size, "no %s '%s'",
                       strstr(line, "Parameter pin") != NULL ? "parameter" : "port", name);
    } else if (quoted(line, "Cannot find file containing module: '", name, sizeof(name))) {
        const char *place = strstr(line, "%Error: ") == line ? line + strlen("%Error: ") : "";
        const char *end =
            strstr(place, "_wrap.sv:") == NULL ? strstr(place, ": Cannot find") : NULL;
        (void)snprintf(text, size,
                       "no module '%s', in the files or in a file of that name beside the first or "
                       "in a folder that is given (--rtl-dir; of run dir=)%s%.*s%s",
                       name, end != NULL ? " (" : "", end != NULL ? (int)(end - place) : 0, place,
                       end != NULL ? ")" : "");
    } else if (strncmp(line, "%Error-NEEDTIMINGOPT", 20) == 0) {
        const char *end = strstr(at, ": Use --timing");
        (void)snprintf(text, size, "%.*s: a delay; a block has a clock, and no time of its own",
                       end != NULL ? (int)(end - at - 2) : 0, at + 2);
    } else if (strstr(line, folder) != NULL) {
        return false; /* follows from another */
    } else {
        (void)snprintf(text, size, "%s", at + 2);
    }
    return true;
}

/* What one line of the log warns of. */
static bool warning_of(const char *line, const char *folder, char *text, size_t size)
{
    static const char *const codes[] = {"UNDRIVEN", "MULTIDRIVEN", "PINMISSING", "IMPLICIT"};
    static const char begin[] = "%Warning-";
    const size_t n = sizeof(begin) - 1;
    const char *at = strstr(line, ": ");

    if (strncmp(line, begin, n) != 0 || at == NULL || strstr(line, folder) != NULL ||
        strstr(line, "_wrap.sv:") != NULL || strstr(line, "_bind.sv:") != NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        const size_t length = strlen(codes[i]);
        if (strncmp(line + n, codes[i], length) == 0 && line[n + length] == ':') {
            (void)snprintf(text, size, "%s (%s)", at + 2, codes[i]);
            return true;
        }
    }
    return false;
}

/* A line for each that `of` takes, once. */
static bool digest(const char *log_path, const char *folder,
                   bool (*of)(const char *line, const char *folder, char *text, size_t size),
                   char *text, size_t size)
{
    FILE *log = fopen(log_path, "r");
    char line[2048];
    size_t used = 0;

    text[0] = '\0';
    while (log != NULL && fgets(line, sizeof(line), log) != NULL) {
        char fault[2048];
        char whole[2052];
        int n;
        line[strcspn(line, "\n")] = '\0';
        if (!of(line, folder, fault, sizeof(fault))) {
            continue;
        }
        (void)snprintf(whole, sizeof(whole), "\n  %s", fault);
        if (strstr(text, whole) != NULL) {
            continue;
        }
        n = snprintf(text + used, size - used, "%s", whole);
        if (n < 0 || (size_t)n >= size - used) {
            text[used] = '\0';
            break;
        }
        used += (size_t)n;
    }
    if (log != NULL) {
        (void)fclose(log);
    }
    return used > 0;
}

bool wr_rtl_log_faults(const char *log_path, const char *folder, char *text, size_t size)
{
    return digest(log_path, folder, fault_of, text, size);
}

bool wr_rtl_log_warnings(const char *log_path, const char *folder, char *text, size_t size)
{
    return digest(log_path, folder, warning_of, text, size);
}
