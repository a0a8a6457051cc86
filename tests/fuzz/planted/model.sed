# SPDX-License-Identifier: Apache-2.0
# switch_queues.c: an entry is lost where a queue that holds two is pushed and popped in one cycle,
# and the numbers of the warps stand in a relation of 10 bits to each other.
s/^    if \(push && space\) \{/    const bool odd = push \&\& pop \&\& *count == 1 \&\& depth > 2;\n&/
s/^        entry\[\*count\] = id;/        entry[*count] = odd \&\& id == (entry[0] ^ 0x55) \&\& (id \& 7) == 3 ? 0 : id;/
