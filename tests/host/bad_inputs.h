/* SPDX-License-Identifier: Apache-2.0 */
/* The bad inputs of bad/ and what must be said of each: in which file, at which line, and a
 * part of the message. All of them differ from bad/good.yaml in one thing. */
#ifndef WR_TESTS_HOST_BAD_INPUTS_H
#define WR_TESTS_HOST_BAD_INPUTS_H

#include <stdbool.h>

typedef struct bad_input {
    const char *name; /* bad/NAME.yaml */
    const char *file; /* that the message names; NULL = the launch file itself */
    const char *part;
    unsigned line;
    bool needs_module; /* the launch file alone looks right */
} bad_input;

static const bad_input bad_inputs[] = {
    {"missing_buffer", NULL, "there is no buffer 'y'", 10, false},
    {"missing_check_buffer", NULL, "there is no buffer 'z'", 14, false},
    {"control", NULL, "control characters are not allowed", 3, false},
    {"not_utf8", NULL, "this is not YAML: invalid", 3, false},
    {"wrong_type", NULL, "there is no type 'f33'", 3, false},
    {"grid_zero", NULL, "dimension of the grid is 0", 7, false},
    {"grid_four", NULL, "too many values", 7, false},
    {"grid_negative", NULL, "whole number", 7, false},
    {"block_too_big", NULL, "more than 1024", 8, false},
    {"block_dimension", NULL, "64 at most", 8, false},
    {"value_range", NULL, "out of its range", 12, false},
    {"value_text", NULL, "'many' is not a value", 12, false},
    {"fill_range", NULL, "'low' is above 'high'", 3, false},
    {"fill_keys", NULL, "needs the keys", 3, false},
    {"near_of", NULL, "the key 'of', at least 1, go together", 3, false},
    {"near_float", NULL, "take an integer type", 3, false},
    {"near_type", NULL, "numbers below 257 do not fit u8", 3, false},
    {"near_bounds", NULL, "may be up to 2^48", 3, false},
    {"of_alone", NULL, "go together", 3, false},
    {"duplicate_buffer", NULL, "two buffers named 'x'", 4, false},
    {"duplicate_key", NULL, "given twice (first in line 7)", 8, false},
    {"unknown_key", NULL, "no key 'gird'", 8, false},
    {"no_launches", NULL, "'launches' is missing", 3, false},
    {"no_module", NULL, "'module' is missing", 13, false},
    {"file_gone", NULL, "'gone.bin' cannot be read", 3, false},
    {"no_count", NULL, "needs 'count'", 3, false},
    {"huge", NULL, "1 GiB", 3, false},
    {"uneven_bytes", NULL, "no whole number of f32", 3, false},
    {"both_sizes", NULL, "not both", 3, false},
    {"stream", NULL, "must be of its stream", 8, false},
    {"every", NULL, "'every' goes with", 5, false},
    {"deadline", NULL, "cycles may be", 5, false},
    {"check_stream", NULL, "no launch is of stream 'b'", 9, false},
    {"repeat_zero", NULL, "must be 1 or more", 7, false},
    {"while_index", NULL, "the index is beyond", 7, false},
    {"check_without", NULL, "give one of them", 14, false},
    {"tolerance", NULL, "0 or more", 14, false},
    {"arg_empty", NULL, "an argument is", 10, false},
    {"syntax", NULL, "not YAML", 8, false},
    {"tab", NULL, "not YAML", 7, false},
    {"address_size", NULL, "32 or 64", 2, false},
    {"count_fraction", NULL, "whole number of 0 or more must stand here, not '1.5'", 3, false},
    {"count_negative", NULL, "not '-1'", 3, false},
    {"count_octal", NULL, "not '0100'", 3, false},
    {"seed_negative", NULL, "not '-1'", 3, false},
    {"dimension_fraction", NULL, "not '1.5'", 8, false},
    {"fill_infinite", NULL, "must be finite", 3, false},
    {"fill_folder", NULL, "not a regular file", 3, false},
    {"tolerance_infinite", NULL, "a finite number must stand here", 14, false},
    {"value_overflow", NULL, "'1e400' is not a value of type f64", 11, false},
    {"two_documents", NULL, "a second document", 15, false},
    {"no_value", NULL, "the value is missing", 1, false},
    {"list_wanted", NULL, "a list must stand here", 7, false},
    {"word_wanted", NULL, "one word or text must stand here", 6, false},
    {"empty", NULL, "key: value", 1, false},
    {"scalar", NULL, "key: value", 1, false},
    {"module_gone", NULL, "'gone.ptx' cannot be read", 1, true},
    {"module_kind", "good.yaml", "a .cu or a .ptx file", 0, true},
    {"wrong_arg_type", NULL, "parameter 'scale_param_1' of 'scale' is f32", 11, true},
    {"wrong_arg_size", NULL, "parameter 'scale_param_1' of 'scale' is f32", 11, true},
    {"buffer_for_float", NULL, "argument 1 is a buffer", 11, true},
    {"unknown_kernel", NULL, "no kernel 'scales'; it has scale", 6, true},
    {"arg_count", NULL, "has 3 parameters, but 2 arguments", 9, true},
    {"reqntid", NULL, "its block must be [32, 2, 1], not [64, 1, 1]", 11, true},
    {"registers_low", NULL, "can only raise", 7, true},
    {"unknown_reference", NULL, "no reference 'nothing'", 14, true},
    {"cut_ptx", "cut.ptx", "expected", 22, true},
    {"unknown_instruction", "unknown_instruction.ptx", "mull", 24, true},
    {"undefined_register", "undefined_register.ptx", "%r40", 22, true},
    {"broken_cuda", "broken.cu", "undeclared identifier 'm'", 6, true},
    {"check_file_gone", NULL, "'expected.bin' cannot be read", 14, true},
    {"control_bytes", NULL, "no kernel 'a?b?c'", 6, true},
    {"huge_shared", "huge_shared.ptx", "larger than 16 MiB", 11, true},
    {"no_kernel", NULL, "no kernel 'scale'; it has none", 6, true},
};
#define BAD_INPUT_COUNT (sizeof bad_inputs / sizeof bad_inputs[0])

#endif
