#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --check-memory`: each kind of finding by a kernel that does it, with kernel, line, block and thread; kernels that do
nothing of the kind, and the library's, give none; a CUDA program's blocks begin undefined, and end.

    tests/host/memory.py --program build/release/bin/warpref
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import bench

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIBRARY = ["reduction", "scan", "matrixmul", "bitonic_sort", "histogram256", "hotspot", "lud_perimeter", "fft", "mummer",
           "inline_math", "srad_reduce", "page_view_count"]
# What follows "//!" is found there: kind, block, thread, access and, of a race, some words of the line that it races with.
# The first thread is that of the warp that comes first: behind a barrier the one that arrived last. p has 1,024 ints, and q.
SOURCE = """#include "cuda.h"
extern "C" __global__ void beyond(int *p, int *q)
{
    q[threadIdx.x] = 1;
    p[threadIdx.x + (threadIdx.x == 40 ? 1024 : 0)] = 2; //! other buffer|0|40|write
}
extern "C" __global__ void below(int *p, int *q)
{
    if (blockIdx.x == 1 && threadIdx.x == 3)
        p[0] = q[-5]; //! other buffer|1|3|read
}
extern "C" __global__ void ends(int *p, int *q)
{
    int *end = p + 1024;
    for (int *at = p + threadIdx.x; at < end; at += 64)
        *at = 3;
    q[1023 - threadIdx.x] = q[0];
}
extern "C" __global__ void chosen(int *p, int *q)
{
    int *r = threadIdx.x % 2 ? p : q;
    r[threadIdx.x] = p[1] + q[2];
}
extern "C" __global__ void unwritten(int *p, int *q)
{
    __shared__ int s[128];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    q[threadIdx.x] = s[threadIdx.x + 1]; //! undefined|0|63|read
}
extern "C" __global__ void bytes(int *p, int *q)
{
    __shared__ char s[256];
    s[threadIdx.x * 4] = 1;
    s[threadIdx.x * 4 + 1] = 2;
    s[threadIdx.x * 4 + 3] = 3;
    __syncthreads();
    q[threadIdx.x] = *(int *)(s + 4 * threadIdx.x); //! undefined|0|32|read
}
extern "C" __global__ void raced(int *p, int *q)
{
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x] + threadIdx.x; //! race|0|32|write|s[63 - t
    q[threadIdx.x] = s[63 - threadIdx.x]; //! race|0|32|read|+ t; undefined|0|0|read
}
extern "C" __global__ void overwritten(int *p, int *q)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x + p[0];
    __syncthreads();
    int v = s[63 - threadIdx.x]; //! race|0|0|read|v + 1000
    s[threadIdx.x] = v + 1000; //! race|0|0|write|int v
    __syncthreads();
    q[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void both_write(int *p, int *q)
{
    __shared__ int s;
    if (threadIdx.x % 32 == 0)
        s = threadIdx.x + 1; //! race|0|32|write|s = threadIdx.x
    __syncthreads();
    q[threadIdx.x] = s;
}
// The same value by all, a barrier of part of the TB, a lock, a flag, atomics, lanes of one warp: no race.
extern "C" __global__ void flags(int *p, int *q)
{
    __shared__ int any;
    if (threadIdx.x == 0)
        any = 0;
    __syncthreads();
    if (p[threadIdx.x] >= 0)
        any = 1;
    __syncthreads();
    q[threadIdx.x] = any;
}
extern "C" __global__ void part(int *p, int *q)
{
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = p[threadIdx.x];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        q[threadIdx.x] = s[63 - threadIdx.x];
    }
}
extern "C" __global__ void not_part(int *p, int *q)
{
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[threadIdx.x] = p[threadIdx.x] + 7; // writer of not_part
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        q[threadIdx.x] = s[63 - threadIdx.x]; //! race|0|32|read|writer of not_part
    }
}
// Each warp is at this barrier alone.
extern "C" __global__ void alone(int *p, int *q)
{
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x] + 1;
    __syncthreads();
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 32;" ::: "memory");
        s[threadIdx.x] = p[threadIdx.x] + 2; //! race|0|0|write|q[threadIdx.x] = s[63
    } else {
        q[threadIdx.x] = s[63 - threadIdx.x];
        asm volatile("bar.sync 1, 32;" ::: "memory");
    }
}
// TBs follow each other in a slot: what one has written is undefined for the next.
extern "C" __global__ void next(int *p, int *q)
{
    __shared__ int s[64];
    if (blockIdx.x != 999)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    q[threadIdx.x] = s[threadIdx.x]; //! undefined|999|32|read
}
extern "C" __global__ void lock(int *p, int *q)
{
    __shared__ int s, held;
    if (threadIdx.x == 0)
        s = held = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&held, 0, 1) != 0)
            ;
        s += 3;
        __threadfence_block();
        atomicExch(&held, 0);
    }
    __syncthreads();
    q[threadIdx.x] = s;
}
extern "C" __global__ void counted(int *p, int *q)
{
    __shared__ int s[4];
    if (threadIdx.x < 4)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x % 4], 1);
    __syncthreads();
    q[threadIdx.x] = s[threadIdx.x % 4];
}
extern "C" __global__ void swapped(int *p, int *q)
{
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncwarp();
    q[threadIdx.x] = s[threadIdx.x ^ 1];
}
// Both warps read it, and then the one that came last writes: the other reader counts.
extern "C" __global__ void read_by_both(int *p, int *q)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = p[5];
    __syncthreads();
    if (threadIdx.x >= 32)
        q[threadIdx.x] = s; // reader of read_by_both
    asm volatile("bar.sync 1, 32;" ::: "memory");
    if (threadIdx.x < 32) {
        q[threadIdx.x] = s;
        if (threadIdx.x == 0)
            s = p[6]; //! race|0|0|write|reader of read_by_both
    }
}
extern "C" __global__ void in_warp(int *p, int *q)
{
    volatile __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    q[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void again(int *p, int *q)
{
    __shared__ int s[64];
    for (int i = 0; i < 8; i++) {
        s[threadIdx.x] = p[threadIdx.x] + i;
        __syncthreads();
        q[threadIdx.x] += s[63 - threadIdx.x];
        __syncthreads();
    }
}
extern "C" __global__ void heap(int *p, int *q)
{
    if (blockIdx.x == 0 && threadIdx.x == 9) {
        volatile int *m = (int *)malloc(5 * sizeof(int));
        m[0] = 1;
        p[0] = m[0];
        p[1] = m[1]; //! undefined|0|9|read
        ((volatile char *)m)[8] = 1;
        p[2] = m[2]; //! undefined|0|9|read
        ((volatile char *)m)[15] = 1;
        p[3] = m[3]; //! undefined|0|9|read
        m[5] = 7; //! not in use|0|9|write
        free((void *)m);
        q[0] = m[0]; //! not in use|0|9|read
    }
}
"""
PROGRAM = """#include <cstdio>
#include <cuda_runtime.h>
__global__ void set(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }
__global__ void get(const int *p, int *out) { out[threadIdx.x] = p[threadIdx.x]; }
__global__ void back(int *first, int *last) { if (last - threadIdx.x > first) last[-1 - (int)threadIdx.x] = 1; }
__global__ void beside(int *p, int n) { p[n] = 1; }
int main()
{
    int *a, *b, *c, *m, host[64] = {0};
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, 60 * sizeof(int));
    set<<<1, 64>>>(a, 32);
    get<<<1, 64>>>(a, b); // lanes 32 and up: undefined
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    get<<<1, 64>>>(a, b); // all is right
    set<<<1, 64>>>(c, 64); // 4 behind the end
    back<<<1, 64>>>(a, a + 64); // all is right, also where a block ends as another begins
    cudaMallocManaged(&m, 60 * sizeof(int));
    m[0] = 5;
    beside<<<1, 1>>>(m, 59); // all is right
    beside<<<1, 1>>>(m, 60); // behind the end, with what the host has written
    cudaFree(a);
    get<<<1, 64>>>(a, b); // freed
    int e = cudaDeviceSynchronize();
    printf("%d\\n", e);
    return e;
}
"""


def wanted(lines, first, last):
    """Findings of the kernel in these lines: (kind, line, block, thread, access, line of the other)."""
    found = []
    for number in range(first, last):
        if "//!" in lines[number]:
            for text in lines[number].split("//!")[1].split(";"):
                kind, block, thread, access, *other = text.strip().split("|")
                others = [i for i in range(first, last) if other and other[0] in lines[i].split("//")[0] + lines[i].partition("// ")[2]]
                found.append((kind, number + 1, int(block), int(thread), access, others[0] + 1 if others else None))
    return sorted(found)


def findings(report):
    found = []
    for f in report["memory"]:
        places = re.findall(r"memory\.cu:(\d+)", f["text"])
        found.append((f["kind"], int(places[0]), f["block"][0], f["thread"][0], f["access"],
                      int(places[1]) if len(places) > 1 else None))
    return sorted(found)


def kernels(machine):
    (machine.folder / "memory.cu").write_text(SOURCE, encoding="utf-8")
    lines = SOURCE.splitlines()
    heads = [(i, re.search(r"void (\w+)\(", line).group(1)) for i, line in enumerate(lines) if "__global__" in line]
    for (first, name), (last, _) in zip(heads, heads[1:] + [(len(lines), "")]):
        (machine.folder / "m.yaml").write_text(
            "module: memory.cu\nbuffers:\n  - {name: p, type: s32, count: 1024, contents: iota}\n"
            "  - {name: q, type: s32, count: 1024, contents: zeros}\nlaunches:\n"
            f"  - {{kernel: {name}, grid: [{1000 if name == 'next' else 2}], block: [64], args: [buffer: p, buffer: q]}}\n",
            encoding="utf-8")
        want = wanted(lines, first, last)
        status, out, errors = machine.call("run", "m.yaml", "--check-memory", "--json")
        machine.same(f"{name}: status", status, 1 if want else 0)
        if not out:
            machine.same(name, errors, "a report")
            continue
        report = json.loads(out)
        machine.same(name, findings(report), want)
        machine.same(f"{name}: passes", report["pass"], not want)
        machine.same(f"{name}: lines of text", errors.count("memory, "), len(want))
        # Who does not ask finds nothing, and gets the same values.
        _, out, errors = machine.call("run", "m.yaml", "--fast-forward", "all", "--json")
        machine.same(f"{name}: not asked", (errors, json.loads(out)["buffer_hashes"]), ("", report["buffer_hashes"]))


def library(machine):
    for name in LIBRARY:
        status, out, errors = machine.call("run", ROOT / f"kernels/{name}.yaml", "--check-memory", "--json")
        machine.same(name, (status, json.loads(out)["memory"] if out else None, errors), (0, [], ""))


def program(machine):
    (machine.folder / "blocks.cu").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([machine.compiler, "cc", "blocks.cu", "-o", "blocks"], capture_output=True, text=True, check=False,
                          cwd=machine.folder)
    machine.same("cc", (done.returncode, done.stderr), (0, ""))
    if done.returncode != 0:
        return
    done = subprocess.run([machine.folder / "blocks"], capture_output=True, text=True, check=False,
                          env=os.environ | {"WARPREF": "--check-memory", "WARPREF_PROGRAM": str(machine.program)})
    machine.same("blocks: the program's own", (done.returncode, done.stdout), (0, "0\n"))
    told = re.findall(r"memory, ([a-z ]+): kernel \S+, pc \S+, blocks.cu:(\d+), block \(0,0,0\), thread \((\d+),0,0\): .*?"
                      r"(?:; (\d+) times)?$", done.stderr, flags=re.M)
    machine.same("blocks", told, [("undefined", "4", "32", "32"), ("not in use", "3", "60", "4"),
                                ("not in use", "6", "0", ""), ("not in use", "4", "0", "64")])


def later(machine):
    """A launch that arrives at a cycle is looked at as any other."""
    text = (machine.folder / "m.yaml").read_text(encoding="utf-8")
    at = [re.sub(r"kernel: \w+, grid: \[\d+\], block: \[64\]", f"kernel: beyond, grid: [2], block: [64]{more}", text)
          for more in ("", ", at: 5000")]
    told = []
    for number, words in ((0, []), (1, []), (0, ["--arrive", "5000"])):
        (machine.folder / "at.yaml").write_text(at[number], encoding="utf-8")
        status, out, errors = machine.call("run", "at.yaml", *words, "--check-memory", "--json")
        told.append((status, errors.count("memory, other buffer"), json.loads(out)["memory"] if out else errors))
    machine.same("at no cycle: status and findings", told[0][:2], (1, 1))
    machine.same("at: 5000", told[1], told[0])
    machine.same("--arrive 5000", told[2], told[0])


def refused(machine):
    for words in (["--system", "duet"], ["--fast-forward", "all"], ["--for", "9"], ["--resume", "x"]):
        status, _, errors = machine.call("run", ROOT / "kernels/vecadd.yaml", "--check-memory", *words)
        machine.same(f"{words}", (status, "--check-memory takes no time" in errors), (2, True))


if __name__ == "__main__":
    sys.exit(bench.main(__doc__, bench.Bench, (kernels, later, library, program, refused)))
