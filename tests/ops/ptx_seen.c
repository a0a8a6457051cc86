/* SPDX-License-Identifier: Apache-2.0 */
/* See ptx_seen.h. */
#include "tests/ops/ptx_seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEN = 1 << 16 };

/* The line in front of a text. */
typedef struct head {
    unsigned long long sets;
    unsigned first, last; /* lines */
    char words[256];
} head;

/* Whether the mnemonic begins with one of the words. */
static bool is_subject(const char *mnemonic, const char *words)
{
    if (strcmp(words, "*") == 0) {
        return true;
    }
    for (const char *p = words; *p != '\0'; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");

        if (strncmp(mnemonic, p, n) == 0 && (mnemonic[n] == '.' || mnemonic[n] == '\0')) {
            return true;
        }
        p += n;
    }
    return false;
}

static seen *add_key(seen_list *list, const seen_key *key)
{
    for (size_t i = list->count; i-- > 0;) {
        if (memcmp(&list->all[i].key, key, sizeof *key) == 0) {
            return &list->all[i];
        }
    }
    if (list->count == MAX_SEEN) {
        abort();
    }
    list->all[list->count].key = *key;
    return &list->all[list->count++];
}

static void add_insn(seen_list *list, const wr_ptx_insn *insn, const head *h)
{
    seen_key key;
    seen *s;

    memset(&key, 0, sizeof key);
    key.op = (uint8_t)insn->op;
    key.operands = insn->operand_count;
    for (unsigned i = 0; i < 3; i++) {
        key.type[i] = (uint8_t)insn->type[i];
    }
    memcpy(key.mod, insn->mod, sizeof key.mod);
    s = add_key(list, &key);
    if (s->text == list->texts || insn->line < h->first || insn->line > h->last ||
        !is_subject(insn->text, h->words)) {
        return;
    }
    s->text = list->texts; /* an instruction counts once in a text */
    s->sets += h->sets;
}

bool seen_read(seen_list *list, const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;

    *list = (seen_list){.all = calloc(MAX_SEEN, sizeof *list->all)};
    if (f == NULL || list->all == NULL) {
        if (f != NULL) {
            (void)fclose(f);
        }
        return false;
    }
    while (getdelim(&text, &size, '\f', f) > 1) {
        wr_diag diag = {0};
        wr_ptx_module *tree;
        head h;
        const char *body = strchr(text, '\n');

        if (body == NULL ||
            sscanf(text, "// %llu %u %u %255[^\n]", &h.sets, &h.first, &h.last, h.words) != 4) {
            break;
        }
        body++;
        list->texts++;
        tree = wr_ptx_parse(path, body, strlen(body) - 1, &diag);
        for (const wr_ptx_func *func = tree != NULL ? tree->funcs : NULL; func != NULL;
             func = func->next) {
            for (uint32_t i = 0; i < func->insn_count; i++) {
                add_insn(list, &func->insns[i], &h);
            }
        }
        wr_ptx_free(tree);
    }
    free(text);
    (void)fclose(f);
    return list->count > 0;
}

void seen_free(seen_list *list)
{
    free(list->all);
}

bool seen_find(const seen_list *list, const wr_ptx_form *form, const combo *c, uint64_t *sets)
{
    bool found = false;

    *sets = 0;
    for (size_t i = 0; i < list->count; i++) {
        const seen_key *s = &list->all[i].key;
        bool hit =
            s->op == form->op && (form->op == WR_PTX_CALL || s->operands == strlen(form->operands));

        for (unsigned k = 0; hit && k < 3; k++) {
            hit = s->type[k] == (uint8_t)c->type[k];
        }
        for (unsigned slot = 0; hit && slot < WR_PTX_SLOT_COUNT; slot++) {
            bool needed =
                (form->need >> slot & 1) != 0 || (slot == WR_PTX_SLOT_MODE && form->mode != 0);

            hit = needed ? s->mod[slot] == c->mod[slot]
                         : s->mod[slot] == 0 || (form->slots >> slot & 1) != 0;
        }
        found = found || hit;
        *sets += hit ? list->all[i].sets : 0;
    }
    return found;
}
