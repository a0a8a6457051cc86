# SPDX-License-Identifier: Apache-2.0
# switch_queues.c: an entry is lost where a queue holds two, is pushed and popped in one cycle, and
# three numbers stand in a relation of 14 bits to each other.
s/^    if \(push && space\) \{/    const bool odd = push \&\& pop \&\& *count == 1 \&\& depth > 2;\n&/
s/^        entry\[\*count\] = id;/        entry[*count] = odd \&\& id == (entry[0] ^ 0x55) \&\& (id \& 63) == 11 ? 0 : id;/
