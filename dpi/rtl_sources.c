/* SPDX-License-Identifier: Apache-2.0 */
/* Options and file lists of RTL that is not ours: see rtl_sources.h. */
#include "dpi/rtl_sources.h"

#include "dpi/printable.h"
#include "files/line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, TOKEN_ROOM = 4096, DEPTH = 16 };

/* Where a token stands: in a list, or (path NULL) on the command line. */
typedef struct place {
    const char *path;
    unsigned line;
    unsigned depth;
    char *err;
    size_t err_size;
} place;

__attribute__((format(printf, 2, 3))) static bool refuse(const place *at, const char *format, ...)
{
    int used = 0;
    va_list args;

    if (at->path != NULL) {
        used = snprintf(at->err, at->err_size, "%s:%u: ", at->path, at->line);
    }
    if (used >= 0 && (size_t)used < at->err_size) {
        va_start(args, format);
        (void)vsnprintf(at->err + used, at->err_size - (size_t)used, format, args);
        va_end(args);
    }
    wr_printable(at->err);
    return false;
}

static bool add(wr_rtl_sources *s, const char *prefix, const char *text, const place *at)
{
    char **more = realloc(s->args, (s->count + 1) * sizeof(*more));
    const size_t size = strlen(prefix) + strlen(text) + 1;

    if (more == NULL) {
        return refuse(at, "out of memory");
    }
    s->args = more;
    s->args[s->count] = malloc(size);
    if (s->args[s->count] == NULL) {
        return refuse(at, "out of memory");
    }
    (void)snprintf(s->args[s->count++], size, "%s%s", prefix, text);
    return true;
}

static bool set(char **to, const char *text, const place *at)
{
    char *copy = strdup(text);

    if (copy == NULL) {
        return refuse(at, "out of memory");
    }
    free(*to);
    *to = copy;
    return true;
}

/* Length of the identifier that the text begins with. */
static size_t identifier(const char *text)
{
    size_t n = 0;

    while (isalpha((unsigned char)text[n]) || text[n] == '_' ||
           (n > 0 && (isdigit((unsigned char)text[n]) || text[n] == '$'))) {
        n++;
    }
    return n;
}

static bool set_top(wr_rtl_sources *s, const char *name, const place *at)
{
    if (identifier(name) == 0 || name[identifier(name)] != '\0') {
        return refuse(at, "top '%s': must be the name of a module", name);
    }
    return set(&s->top, name, at);
}

/* The absolute path of a readable file or folder. */
static bool resolve(const char *path, bool is_dir, char *absolute, const place *at)
{
    const char *slash = at->path != NULL ? strrchr(at->path, '/') : NULL;
    char beside[PATH_ROOM];
    struct stat info;

    (void)snprintf(beside, sizeof(beside), "%.*s%s",
                   slash != NULL && path[0] != '/' ? (int)(slash - at->path + 1) : 0,
                   slash != NULL ? at->path : "", path);
    if ((realpath(beside, absolute) == NULL && realpath(path, absolute) == NULL) ||
        stat(absolute, &info) != 0 || access(absolute, R_OK) != 0) {
        return refuse(at, "%s: cannot be read", path);
    }
    if (S_ISDIR(info.st_mode) != is_dir) {
        return refuse(at, is_dir ? "%s: is no folder" : "%s: cannot be read: it is a folder", path);
    }
    if (!is_dir && !S_ISREG(info.st_mode)) { /* a pipe may block for ever, a device has no end */
        return refuse(at, "%s: cannot be read: not a regular file", path);
    }
    return true;
}

static bool is_foreign(const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".o", ".a"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_file(wr_rtl_sources *s, const char *path, const place *at)
{
    char absolute[PATH_ROOM];

    if (!resolve(path, false, absolute, at)) {
        return false;
    }
    if (s->first == NULL && !is_foreign(absolute)) {
        return set(&s->first, absolute, at) && set(&s->title, path, at);
    }
    return add(s, "", absolute, at);
}

/* A folder ends with "/.", so that no name of one looks like that of a file. */
static bool add_folder(wr_rtl_sources *s, const char *path, bool modules, const place *at)
{
    char absolute[PATH_ROOM + 2];

    if (!resolve(path, true, absolute, at)) {
        return false;
    }
    memcpy(absolute + strlen(absolute), "/.", 3);
    return modules ? add(s, "", "-y", at) && add(s, "", absolute, at) : add(s, "-I", absolute, at);
}

static bool add_define(wr_rtl_sources *s, const char *text, const place *at)
{
    const size_t n = identifier(text);

    if (n == 0 || (text[n] != '\0' && text[n] != '=')) {
        return refuse(at, "define '%s': must be NAME or NAME=VALUE", text);
    }
    return add(s, "-D", text, at);
}

static bool add_param(wr_rtl_sources *s, const char *text, const place *at)
{
    const size_t n = identifier(text);
    const char *before = s->params != NULL ? s->params : "";
    const size_t size = strlen(before) + strlen(text) + 8;
    char *params;

    if (n == 0 || text[n] != '=' || text[n + 1] == '\0') {
        return refuse(at, "parameter '%s': must be NAME=VALUE", text);
    }
    params = malloc(size);
    if (params == NULL) {
        return refuse(at, "out of memory");
    }
    (void)snprintf(params, size, "%s, .%.*s(%s)", before, (int)n, text, text + n + 1);
    free(s->params);
    s->params = params;
    return true;
}

static bool add_list(wr_rtl_sources *s, const char *path, const place *at);

/* "+incdir+A+B" and its kin: the parts behind the first. */
static bool add_parts(wr_rtl_sources *s, char *token, const place *at)
{
    const bool is_dir = strncmp(token, "+incdir+", 8) == 0;

    if (strncmp(token, "+libext+", 8) == 0) {
        return add(s, "", token, at);
    }
    if (!is_dir && strncmp(token, "+define+", 8) != 0) {
        return refuse(at, "'%s' is not understood; +incdir+, +define+ and +libext+ are", token);
    }
    for (char *part = token + 8, *next; part != NULL && *part != '\0'; part = next) {
        next = strchr(part, '+');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (is_dir ? !add_folder(s, part, false, at) : !add_define(s, part, at)) {
            return false;
        }
    }
    return true;
}

typedef enum kind { NO_OPTION, FILE_OF, DIR_OF, INCLUDE_OF, DEFINE_OF, LIST_OF, TOP_OF } kind;

static bool add_option(wr_rtl_sources *s, kind what, const char *value, const place *at)
{
    switch (what) {
    case FILE_OF:
        return add_file(s, value, at);
    case DIR_OF:
    case INCLUDE_OF:
        return add_folder(s, value, what == DIR_OF, at);
    case DEFINE_OF:
        return add_define(s, value, at);
    case LIST_OF:
        return add_list(s, value, at);
    case TOP_OF:
    case NO_OPTION:
        break;
    }
    return set_top(s, value, at);
}

/* One token of a list. *waits: the option that the one before was, whose value this is. */
static bool take(wr_rtl_sources *s, char *token, kind *waits, const place *at)
{
    static const struct {
        const char *name;
        kind what;
        bool joined; /* its value may follow at once */
    } options[] = {
        {"-f", LIST_OF, false},  {"-F", LIST_OF, false},   {"-y", DIR_OF, false},
        {"-v", FILE_OF, false},  {"-I", INCLUDE_OF, true}, {"-D", DEFINE_OF, true},
        {"-top", TOP_OF, false}, {"--top", TOP_OF, false}, {"--top-module", TOP_OF, false}};
    const kind what = *waits;

    *waits = NO_OPTION;
    if (what != NO_OPTION) {
        return add_option(s, what, token, at);
    }
    if (token[0] == '+') {
        return add_parts(s, token, at);
    }
    if (token[0] != '-') {
        return add_file(s, token, at);
    }
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(token, options[i].name) == 0) {
            *waits = options[i].what;
            return true;
        }
        if (options[i].joined && strncmp(token, options[i].name, 2) == 0) {
            return add_option(s, options[i].what, token + 2, at);
        }
    }
    return refuse(at, "option '%s' is not understood; -f, -F, -y, -v, -I, -D and -top are", token);
}

/* Appends the value of $NAME, ${NAME} or $(NAME) at *text. */
static bool expand(const char **text, char *token, size_t *n, const place *at)
{
    const char *name = *text + 1;
    const char close = name[0] == '{' ? '}' : name[0] == '(' ? ')' : '\0';
    const char *value;
    char copy[256];
    size_t length;

    name += close != '\0';
    length = identifier(name);
    if (length == 0 || length >= sizeof(copy) || (close != '\0' && name[length] != close)) {
        return refuse(at, "'$' without the name of a variable behind it");
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    value = getenv(copy);
    if (value == NULL) {
        return refuse(at, "$%s is not set", copy);
    }
    for (; *value != '\0'; value++) {
        if (*n + 1 >= TOKEN_ROOM) {
            return refuse(at, "too long a name");
        }
        token[(*n)++] = *value;
    }
    *text = name + length + (close != '\0');
    return true;
}

/* The next token of a line, or false: with *end there is none, else it is refused. */
static bool next_token(const char **line, char *token, bool *end, const place *at)
{
    const char *text = *line + strspn(*line, " \t\r\n");
    bool quoted = text[0] == '"';
    size_t n = 0;

    *end = text[0] == '\0' || text[0] == '#' || strncmp(text, "//", 2) == 0;
    if (*end) {
        return false;
    }
    text += quoted;
    while (*text != '\0' && (quoted ? *text != '"' : strchr(" \t\r\n", *text) == NULL)) {
        if (*text == '$') {
            if (!expand(&text, token, &n, at)) {
                return false;
            }
            continue;
        }
        if (n + 1 >= TOKEN_ROOM) {
            return refuse(at, "too long a name");
        }
        token[n++] = *text++;
    }
    if (quoted && *text != '"') {
        return refuse(at, "a quote that does not end on its line");
    }
    token[n] = '\0';
    *line = text + quoted;
    return true;
}

static bool read_list(wr_rtl_sources *s, FILE *list, place *in)
{
    char token[TOKEN_ROOM] = "";
    char *line = NULL;
    size_t room = 0;
    kind waits = NO_OPTION;
    bool good = true;
    bool end;

    for (ssize_t n; good && (n = wr_line_read(&line, &room, list)) != -1;) {
        const char *rest = line;
        in->line++;
        if (n == WR_LINE_LONG) {
            good = refuse(in, WR_LINE_LONG_TEXT);
            break;
        }
        while (good && next_token(&rest, token, &end, in)) {
            good = take(s, token, &waits, in);
        }
        good = good && end;
    }
    free(line);
    return good && (waits == NO_OPTION || refuse(in, "the last option lacks its value"));
}

static bool add_list(wr_rtl_sources *s, const char *path, const place *at)
{
    char absolute[PATH_ROOM];
    char shown[PATH_ROOM];
    place in = {.path = shown, .depth = at->depth + 1, .err = at->err, .err_size = at->err_size};
    FILE *list;
    bool good;

    if (!resolve(path, false, absolute, at)) {
        return false;
    }
    if (in.depth > DEPTH) {
        return refuse(at, "lists in lists, more than %d deep: does one name itself?", DEPTH);
    }
    /* As it was given, where that leads to it: short in messages. */
    (void)snprintf(shown, sizeof(shown), "%s", access(path, R_OK) == 0 ? path : absolute);
    list = fopen(absolute, "r");
    if (list == NULL) {
        return refuse(at, "%s: cannot be read", path);
    }
    good = read_list(s, list, &in);
    (void)fclose(list);
    return good;
}

bool wr_sources_file(wr_rtl_sources *s, const char *path, char *err, size_t err_size)
{
    return add_file(s, path, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_dir(wr_rtl_sources *s, const char *path, char *err, size_t err_size)
{
    return add_folder(s, path, true, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_include(wr_rtl_sources *s, const char *path, char *err, size_t err_size)
{
    return add_folder(s, path, false, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_define(wr_rtl_sources *s, const char *text, char *err, size_t err_size)
{
    return add_define(s, text, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_param(wr_rtl_sources *s, const char *text, char *err, size_t err_size)
{
    return add_param(s, text, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_list(wr_rtl_sources *s, const char *path, char *err, size_t err_size)
{
    return add_list(s, path, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_top(wr_rtl_sources *s, const char *name, char *err, size_t err_size)
{
    return set_top(s, name, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_arg(wr_rtl_sources *s, const char *arg, char *err, size_t err_size)
{
    return add(s, "", arg, &(place){.err = err, .err_size = err_size});
}

bool wr_sources_sets(const wr_rtl_sources *s, const char *param)
{
    char text[256];

    (void)snprintf(text, sizeof(text), ", .%s(", param);
    return s->params != NULL && strstr(s->params, text) != NULL;
}

void wr_sources_free(wr_rtl_sources *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->args[i]);
    }
    free(s->args);
    free(s->first);
    free(s->title);
    free(s->top);
    free(s->params);
    *s = (wr_rtl_sources){0};
}
