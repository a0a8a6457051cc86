# SPDX-License-Identifier: Apache-2.0
"""Programs of csmith for many threads: each becomes a struct, whose globals are one thread's own.

Globals become members with the same initial values, functions become members, and csmith's checksum of all globals is
kept: thread 0 leaves the checksum that the program prints as it came, and beside it stands one after each global. The
other threads begin with other values in the globals that are plain integers; csmith's promise that a program's meaning
is defined does not depend on them. Loops, functions and labels count steps on the host, which ends endless programs.
"""
import re
import subprocess
import tempfile

OPTIONS = ["--lang-cpp", "--no-argc", "--no-volatiles", "--no-packed-struct", "--concise", "--no-hash-value-printf",
           "--max-array-len-per-dim", "4", "--max-array-dim", "2", "--max-struct-fields", "5", "--max-union-fields", "3"]
# Sizes, of which a seed takes one: (functions, depth of blocks, statements of a block, complexity of expressions).
SIZES = [(2, 2, 3, 6), (3, 3, 3, 6), (4, 2, 4, 8), (5, 3, 3, 5)]
INCLUDE = """#define STATIC static
#define FUNC_NAME(x) safe_##x
#define UNDEFINED(x) (x)
#define LOG_INDEX
#define LOG_EXEC
#include <cfloat>
#include <climits>
#pragma clang force_cuda_host_device begin
#include "safe_math.h"
#pragma clang force_cuda_host_device end
"""
MEMBERS = """    u32 context = 0xffffffffu;
    u64 *at = nullptr;
    void checksum(u64 value, int place)
    {
        for (int i = 0; i < 64; i++)
            context = context >> 1 ^ ((context ^ (u32)(value >> i)) & 1 ? 0xedb88320u : 0);
        at[place] = context ^ 0xffffffffu;
    }
"""
KERNEL = """__global__ void kernel(u64 *out)
{
    all p;
    p.at = out + threadIdx.x * VALUES;
    p.begin(threadIdx.x);
    p.run();
}
static void launch(const u64 *in, u64 *out, u64 *cells)
{
    LAUNCH(VALUES, in, out, cells, kernel, out);
}
"""
SCALAR = re.compile(r"^static (u?int(?:8|16|32|64)_t) (g_\d+) = ", re.M)
FUNCTION = re.compile(r"^static (?:inline )?[^=;{}]*\bfunc_\d+\([^;{}]*\)", re.M)


def source(seed):
    """What csmith writes for this seed."""
    functions, depth, block, expression = SIZES[seed % len(SIZES)]
    sizes = ["--max-funcs", functions, "--max-block-depth", depth, "--max-block-size", block, "--max-expr-complexity", expression]
    with tempfile.TemporaryDirectory() as folder:  # csmith leaves a file where it runs
        done = subprocess.run(["csmith", "--seed", str(seed), *OPTIONS, *map(str, sizes)], cwd=folder, capture_output=True, text=True,
                              check=True)
    return done.stdout


def counted(text):
    """Each loop, label and function counts a step."""
    text = re.sub(r"\bfor \(([^;]*);([^;]*);", r"for (\1; MORE_STEPS && (\2);", text)
    text = re.sub(r"^(lbl_\d+:)", r"\1 (void)(MORE_STEPS);", text, flags=re.M)
    return re.sub(r"(\n\{ *\n)", r"\1    (void)(MORE_STEPS);\n", text)


def program(seed):
    """(text, the names of a thread's values: the checksum after each global)."""
    text = source(seed)
    scalars = SCALAR.findall(text)
    text = text.partition("static long __undefined;")[2].replace("NULL", "nullptr")
    text, _, main = text.partition("int main (void)")
    text = FUNCTION.sub(lambda m: m[0].replace("static ", "", 1), re.sub(FUNCTION.pattern + ";", "", text, flags=re.M))
    text = re.sub(r"^static ", "", counted(text), flags=re.M)
    names = []

    def placed(call):
        names.append(call[2])
        return f"checksum({call[1]}, {len(names) - 1})"
    main = main.partition("crc32_gentab();")[2].rpartition("platform_main_end")[0]
    main = re.sub(r'transparent_crc\((.*), "(.*)", print_hash_value\)', placed, main)
    begin = "".join(f"        {name} ^= ({kind})(thread * {0x9e3779b1 * (k + 1) & 0xffffffff}u);\n"
                    for k, (kind, name) in enumerate(scalars) if (seed + k) % 3)
    text = (f"#pragma clang force_cuda_host_device begin\nstruct all {{\n{MEMBERS}{text}\n    void begin(u32 thread)\n    {{\n{begin}    }}\n"
            f"    void run()\n    {{\n        int i, j;\n{main}    }}\n}};\n#pragma clang force_cuda_host_device end\n")
    return text + KERNEL.replace("VALUES", str(len(names))), names
