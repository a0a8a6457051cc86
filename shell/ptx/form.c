/* SPDX-License-Identifier: Apache-2.0 */
/* Matching of an instruction's words against the rows of form_table.c.
 *
 * The tables are small (some 200 rows, 120 modifiers) and scanned in order: a module of 10,000
 * lines costs a few million short comparisons, so no index is kept.
 */
#include "shell/ptx/form.h"

#include <stdio.h>
#include <string.h>

/* How far a row got, and why no further. */
typedef enum miss { MISS_NONE, MISS_WORD, MISS_VALUE, MISS_TYPE, MISS_SLOT, MISS_NO_TYPE } miss;

typedef struct attempt {
    miss why;
    size_t word;      /* index of the word that did not fit */
    unsigned slot;    /* MISS_SLOT: the one that is missing */
    size_t type_slot; /* MISS_TYPE, MISS_NO_TYPE */
    const wr_ptx_form *form;
} attempt;

static bool same(const char *text, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(text, name, len) == 0;
}

/* Number of words that dotted `name` takes at the head of `words`; 0 where it is not there. */
static size_t head_words(const char *name, const wr_ptx_words *words)
{
    size_t used = 0;
    while (used < words->count) {
        const char *dot = strchr(name, '.');
        size_t len = dot != NULL ? (size_t)(dot - name) : strlen(name);
        if (words->len[used] != len || memcmp(words->text[used], name, len) != 0) {
            return 0;
        }
        used++;
        if (dot == NULL) {
            return used;
        }
        name = dot + 1;
    }
    return 0;
}

/* Swaps the words at `at` and behind it. */
static void swap_words(wr_ptx_words *words, size_t at)
{
    const char *text = words->text[at];
    size_t len = words->len[at];
    unsigned line = words->line[at], column = words->column[at];
    words->text[at] = words->text[at + 1];
    words->len[at] = words->len[at + 1];
    words->line[at] = words->line[at + 1];
    words->column[at] = words->column[at + 1];
    words->text[at + 1] = text;
    words->len[at + 1] = len;
    words->line[at + 1] = line;
    words->column[at + 1] = column;
}

void wr_ptx_form_order(wr_ptx_words *words)
{
    /* Where the rows have the word `sync`. */
    static const struct {
        const char *mnemonic;
        size_t place;
    } rows[] = {{"vote", 1}, {"shfl", 1}, {"redux", 1}, {"match", 2}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (!same(words->text[0], words->len[0], rows[r].mnemonic)) {
            continue;
        }
        size_t at = 1;
        while (at < words->count && !same(words->text[at], words->len[at], "sync")) {
            at++;
        }
        if (at == words->count || words->count <= rows[r].place) {
            return;
        }
        for (; at > rows[r].place; at--) {
            swap_words(words, at - 1);
        }
        for (; at < rows[r].place; at++) {
            swap_words(words, at);
        }
    }
}

const wr_ptx_form *wr_ptx_form_find(const wr_ptx_words *words, size_t *used, const char **why)
{
    const wr_ptx_form *best = NULL;
    *used = 0;
    *why = NULL;
    for (size_t i = 0; i < wr_ptx_form_count; i++) {
        size_t taken = wr_ptx_forms[i].name[0] == words->text[0][0]
                           ? head_words(wr_ptx_forms[i].name, words)
                           : 0;
        if (taken > *used) {
            *used = taken;
            best = &wr_ptx_forms[i];
        }
    }
    for (size_t i = 0; i < wr_ptx_unsupported_count; i++) {
        size_t taken = head_words(wr_ptx_unsupporteds[i].prefix, words);
        if (taken > *used) {
            *why = wr_ptx_unsupporteds[i].why;
            return NULL;
        }
    }
    return best;
}

static uint64_t allowed_values(const wr_ptx_form *form, unsigned slot)
{
    switch (slot) {
    case WR_PTX_SLOT_RND:
        return form->rnds;
    case WR_PTX_SLOT_CMP:
        return form->cmps;
    case WR_PTX_SLOT_SPACE:
        return form->spaces;
    case WR_PTX_SLOT_MODE:
        return form->modes;
    default:
        return UINT64_MAX;
    }
}

/* Puts one word into a slot of the row; MISS_NONE where it fits. */
static miss place_modifier(const wr_ptx_form *form, const char *text, size_t len, wr_ptx_insn *insn)
{
    miss why = MISS_WORD;
    for (size_t i = 0; i < wr_ptx_modifier_count; i++) {
        const wr_ptx_modifier *entry = &wr_ptx_modifiers[i];
        if (!same(text, len, entry->text) || (form->slots >> entry->slot & 1U) == 0) {
            continue;
        }
        if ((allowed_values(form, entry->slot) >> entry->value & 1U) == 0) {
            why = MISS_VALUE;
        } else if (insn->mod[entry->slot] == 0) {
            insn->mod[entry->slot] = entry->value;
            return MISS_NONE;
        }
    }
    return why;
}

static attempt try_form(const wr_ptx_form *form, const wr_ptx_words *words, size_t used,
                        wr_ptx_insn *insn)
{
    attempt result = {.form = form};
    memset(insn->mod, 0, sizeof insn->mod);
    memset(insn->type, 0, sizeof insn->type);
    size_t types = 0;
    for (size_t i = used; i < words->count; i++) {
        wr_ptx_type type = wr_ptx_type_find(words->text[i], words->len[i]);
        result.word = i;
        if (type == WR_PTX_TYPE_NONE) {
            result.why = place_modifier(form, words->text[i], words->len[i], insn);
        } else if (types >= WR_PTX_TYPES_MAX || form->types[types] == 0) {
            result.why = MISS_WORD;
        } else if ((form->types[types] >> type & 1U) == 0) {
            result.why = MISS_TYPE;
            result.type_slot = types;
        } else {
            insn->type[types++] = type;
        }
        if (result.why != MISS_NONE) {
            return result;
        }
    }
    result.word = words->count;
    if (types < WR_PTX_TYPES_MAX && form->types[types] != 0) {
        result.why = MISS_NO_TYPE;
        result.type_slot = types;
        return result;
    }
    for (unsigned slot = 0; slot < WR_PTX_SLOT_COUNT; slot++) {
        if ((form->need >> slot & 1U) != 0 && insn->mod[slot] == 0) {
            result.why = MISS_SLOT;
            result.slot = slot;
            return result;
        }
    }
    if (form->mode != 0) {
        insn->mod[WR_PTX_SLOT_MODE] = form->mode;
    }
    return result;
}

/* "a, b" of the words that the row's slot or type place takes. */
static void list_choices(const attempt *tried, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    bool types = tried->why == MISS_TYPE || tried->why == MISS_NO_TYPE;
    size_t count = types ? (size_t)WR_PTX_TYPE_COUNT : wr_ptx_modifier_count;
    for (size_t i = 0; i < count && at + 16 < size; i++) {
        const char *name = NULL;
        if (types) {
            bool takes = (tried->form->types[tried->type_slot] >> i & 1U) != 0;
            name = takes ? wr_ptx_type_name((wr_ptx_type)i) : NULL;
        } else if (wr_ptx_modifiers[i].slot == tried->slot &&
                   (allowed_values(tried->form, tried->slot) >> wr_ptx_modifiers[i].value & 1U)) {
            name = wr_ptx_modifiers[i].text;
        }
        if (name != NULL) {
            at += (size_t)snprintf(out + at, size - at, "%s.%s", at == 0 ? "" : " ", name);
        }
    }
}

static bool is_known_word(const char *text, size_t len)
{
    if (wr_ptx_type_find(text, len) != WR_PTX_TYPE_NONE) {
        return true;
    }
    for (size_t i = 0; i < wr_ptx_modifier_count; i++) {
        if (same(text, len, wr_ptx_modifiers[i].text)) {
            return true;
        }
    }
    return false;
}

static void explain(const attempt *best, const wr_ptx_words *words, char *message, size_t *bad_word)
{
    char choices[160];
    size_t at = best->word < words->count ? best->word : 0;
    const char *text = words->text[at];
    int len = (int)(words->len[at] < 40 ? words->len[at] : 40);
    const char *name = best->form->name;
    *bad_word = at;
    list_choices(best, choices, sizeof choices);
    if (best->why == MISS_TYPE) {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX,
                       "'%s' does not take type '.%.*s' with these modifiers; it takes %s", name,
                       len, text, choices);
    } else if (best->why == MISS_NO_TYPE) {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX, "'%s' lacks a type; add one of %s", name,
                       choices);
    } else if (best->why == MISS_SLOT) {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX,
                       "'%s' lacks a modifier for this type; add one of %s", name, choices);
    } else if (!is_known_word(text, words->len[at])) {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX,
                       "unknown modifier '.%.*s' of '%s'; see the PTX manual for what it takes",
                       len, text, name);
    } else {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX,
                       "modifier '.%.*s' cannot be used in this form of '%s'; remove or change it",
                       len, text, name);
    }
}

static uint8_t count_destinations(const wr_ptx_form *form)
{
    if (form->op == WR_PTX_ST || form->op == WR_PTX_RED) {
        return 0;
    }
    return (uint8_t)strspn(form->operands, WR_PTX_DESTINATIONS);
}

const wr_ptx_form *wr_ptx_form_match(const wr_ptx_words *words, size_t operand_count,
                                     wr_ptx_insn *insn, char *message, size_t *bad_word)
{
    const char *why = NULL;
    size_t used = 0;
    const wr_ptx_form *first = wr_ptx_form_find(words, &used, &why);
    attempt best = {.form = first};
    size_t expected = SIZE_MAX;
    *bad_word = 0;
    if (first == NULL) {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX, "unknown instruction");
        return NULL;
    }
    const wr_ptx_form *end = wr_ptx_forms + wr_ptx_form_count;
    for (const wr_ptx_form *form = first; form < end && strcmp(form->name, first->name) == 0;
         form++) {
        attempt tried = try_form(form, words, used, insn);
        if (tried.why == MISS_NONE) {
            size_t takes = strlen(form->operands) + insn->mod[WR_PTX_SLOT_HINT];
            if (takes == operand_count || form->op == WR_PTX_CALL) {
                insn->op = form->op;
                insn->dst_count = count_destinations(form);
                return form;
            }
            expected = takes;
        } else if (tried.word > best.word || (tried.word == best.word && tried.why > best.why)) {
            best = tried;
        }
    }
    if (expected != SIZE_MAX) {
        (void)snprintf(message, WR_DIAG_MESSAGE_MAX, "'%s' takes %zu operand%s here, not %zu",
                       first->name, expected, expected == 1 ? "" : "s", operand_count);
        return NULL;
    }
    explain(&best, words, message, bad_word);
    return NULL;
}
