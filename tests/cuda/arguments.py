#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function that CUDA's headers declare, with every kind of bad argument: each returns its error, none ends the process.

    tests/cuda/arguments.py [--program WARPREF] [--cc WARPREF] [--keep FILE.cu]

The functions and their parameters are read from the headers, so each has a row below, and each parameter of it bad values: those of
its type (kinds), or those of the row. Error codes are those under "Returns" and in the list of cudaError_t of CUDA's Runtime API:

  cudaErrorInvalidValue            parameters that are not within an acceptable range: null results, sizes, flags, pointers to free
  cudaErrorInvalidResourceHandle   a handle of a stream or an event that is not valid
  cudaErrorInvalidDevice           a device ordinal that is no device's
  cudaErrorInvalidConfiguration    launches of sizes that the device cannot satisfy
  cudaErrorInvalidDeviceFunction, InvalidSymbol   of what is no kernel, no variable
  cudaErrorInvalidMemcpyDirection  a kind of copy that is none
  cudaErrorInvalidPitchValue       a pitch beyond the device's, or below the width

All calls are of one process, which has to come to its end with a GPU that works. The headers are compiled alone, as C and as C++.
The last line is "N passed, N failed".
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import arguments_textures

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = ROOT / "cuda/include"
HANGS = 600  # seconds

VALUE, MEMORY, DEVICE = "InvalidValue", "MemoryAllocation", "InvalidDevice"
HANDLE, CONFIGURATION = "InvalidResourceHandle", "InvalidConfiguration"
FUNCTION, SYMBOL, DIRECTION, PITCH = "InvalidDeviceFunction", "InvalidSymbol", "InvalidMemcpyDirection", "InvalidPitchValue"
NULL = [("nullptr", VALUE)]
NOT_MEMORY = [("stack()", VALUE), ("statics", VALUE)]
BAD_SOURCE = [("nullptr", VALUE), ("unmapped", VALUE)]
NO_FREE = [("stack()", VALUE), ("statics", VALUE), ("heap()", VALUE), ("inside(%s)", VALUE), ("freed(%s)", VALUE)]
HUGE = "SIZE_MAX"

# By the type of a parameter: values, and the error of each.
KINDS = {
    "cudaStream_t": [("gone_stream()", HANDLE), ("(cudaStream_t)0x1234", HANDLE), ("(cudaStream_t)event()", HANDLE),
                     ("(cudaStream_t)stack()", HANDLE), ("(cudaStream_t)statics", HANDLE), ("(cudaStream_t)-1", HANDLE)],
    "cudaEvent_t": [("gone_event()", HANDLE), ("(cudaEvent_t)0x1234", HANDLE), ("(cudaEvent_t)stream()", HANDLE),
                    ("(cudaEvent_t)stack()", HANDLE), ("(cudaEvent_t)statics", HANDLE), ("nullptr", HANDLE)],
    "enum cudaMemcpyKind": [("(cudaMemcpyKind)5", DIRECTION), ("(cudaMemcpyKind)-1", DIRECTION)],
    "enum cudaLimit": [("(cudaLimit)7", VALUE), ("(cudaLimit)-1", VALUE), ("cudaLimitDevRuntimeSyncDepth", "UnsupportedLimit"),
                       ("cudaLimitDevRuntimePendingLaunchCount", "UnsupportedLimit"),
                       ("cudaLimitMaxL2FetchGranularity", "UnsupportedLimit"), ("cudaLimitPersistingL2CacheSize", "UnsupportedLimit")],
    "enum cudaFuncCache": [("(cudaFuncCache)4", VALUE), ("(cudaFuncCache)-1", VALUE)],
    "enum cudaSharedMemConfig": [("(cudaSharedMemConfig)3", VALUE), ("(cudaSharedMemConfig)-1", VALUE)],
    "enum cudaDeviceAttr": [("(cudaDeviceAttr)0", VALUE), ("(cudaDeviceAttr)9999", VALUE), ("(cudaDeviceAttr)-1", VALUE)],
    "enum cudaFuncAttribute": [("(cudaFuncAttribute)0", VALUE), ("(cudaFuncAttribute)99", VALUE)],
    "enum cudaMemoryAdvise": [("(cudaMemoryAdvise)0", VALUE), ("(cudaMemoryAdvise)7", VALUE)],
    "const void *function": [("nullptr", FUNCTION), ("stack()", FUNCTION), ("statics", FUNCTION), ("(void *)&symbol", FUNCTION)],
    "const void *symbol": [("nullptr", SYMBOL), ("stack()", SYMBOL), ("(void *)adds", SYMBOL)],
    "dim3 grid": [("dim3(0)", CONFIGURATION), ("dim3(1, 0)", CONFIGURATION), ("dim3(0x80000000u)", CONFIGURATION),
                  ("dim3(1, 65536)", CONFIGURATION), ("dim3(1, 1, 65536)", CONFIGURATION)],
    "dim3 block": [("dim3(0)", CONFIGURATION), ("dim3(1025)", CONFIGURATION), ("dim3(1, 1, 65)", CONFIGURATION),
                   ("dim3(65536, 65536)", CONFIGURATION), ("dim3(0x80000000u)", CONFIGURATION)],
    "int device": [("1", DEVICE), ("-1", DEVICE)],
    "unsigned flags": [("0x8000", VALUE), ("~0u", VALUE)],
}
KINDS |= arguments_textures.KINDS
RESULT = re.compile(r"^(?!const ).*\*\s*\w+$|^const char \*\*")  # a place for a result, but void *

# A word of its type, the name, parameters.
FUNCTION_OF = r"\b(?!return\b)[A-Za-z_]\w*[\s*]+\b((?:__)?cuda[A-Z]\w*)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*"

# Per function: arguments with which it succeeds, and bad values by a parameter's name in place of those of its type.
# None: whatever is given is right, and why.
ANY = None
ROWS = {
    "cudaGetLastError": ("", {}), "cudaPeekAtLastError": ("", {}),
    "cudaGetDeviceCount": ("&number", {}), "cudaSetDevice": ("0", {}), "cudaGetDevice": ("&number", {}),
    "cudaChooseDevice": ("&number, &properties", {"prop": NULL}),
    "cudaSetDeviceFlags": ("cudaDeviceScheduleSpin", {"flags": [("0x8000", VALUE), ("cudaDeviceScheduleSpin | cudaDeviceScheduleYield", VALUE)]}),
    "cudaGetDeviceProperties": ("&properties, 0", {}),
    "cudaDeviceGetAttribute": ("&number, cudaDevAttrWarpSize, 0", {}),
    "cudaDeviceSynchronize": ("", {}), "cudaThreadSynchronize": ("", {}), "cudaDeviceReset": ("", {}), "cudaThreadExit": ("", {}),
    "cudaDeviceGetLimit": ("&size, cudaLimitStackSize", {}), "cudaThreadGetLimit": ("&size, cudaLimitStackSize", {}),
    "cudaDeviceSetLimit": ("cudaLimitStackSize, 8192", {"value": [(HUGE, VALUE)]}),
    "cudaThreadSetLimit": ("cudaLimitStackSize, 8192", {"value": [(HUGE, VALUE)]}),
    "cudaDeviceSetCacheConfig": ("cudaFuncCachePreferL1", {}), "cudaThreadSetCacheConfig": ("cudaFuncCachePreferL1", {}),
    "cudaDeviceSetSharedMemConfig": ("cudaSharedMemBankSizeDefault", {}),
    "cudaDeviceGetStreamPriorityRange": ("&number, &other", {"least": ANY, "greatest": ANY}),  # either may be null, says its page
    "cudaDeviceCanAccessPeer": ("&number, 0, 0", {"peer": [("1", DEVICE), ("-1", DEVICE)]}),
    "cudaDriverGetVersion": ("&number", {}), "cudaRuntimeGetVersion": ("&number", {}), "cudaMemGetInfo": ("&size, &size", {}),
    "cudaDeviceGetPCIBusId": ("text, 32, 0", {"bytes": [("0", VALUE), ("-1", VALUE), ("3", VALUE)]}),
    "cudaDeviceGetCacheConfig": ("&cache", {}), "cudaDeviceGetSharedMemConfig": ("&banks", {}), "cudaGetDeviceFlags": ("&word", {}),
    "cudaHostGetFlags": ("&word, pinned()", {"at": [("nullptr", VALUE), *NOT_MEMORY, ("device()", VALUE), ("managed()", VALUE),
                                                    ("freed_pinned()", VALUE)]}),
    "cudaStreamGetPriority": ("stream(), &number", {}), "cudaStreamGetFlags": ("stream(), &word", {}),
    "cudaStreamAttachMemAsync": ("stream(), managed(), 0, cudaMemAttachSingle",
                                 {"at": [("nullptr", VALUE), *NOT_MEMORY, ("device()", VALUE), ("inside(managed())", VALUE)],
                                  "bytes": [("1", VALUE), (HUGE, VALUE)], "flags": [("0", VALUE), ("3", VALUE), ("8", VALUE)]}),
    "cudaEventRecordWithFlags": ("event(), stream(), 0", {}),
    "cudaMemcpyPeer": ("device(), 0, device(), 0, 64", {"to": [("nullptr", VALUE), ("stack()", VALUE)], "to_device": [("1", DEVICE)],
                                                        "from": [("nullptr", VALUE), ("stack()", VALUE)],
                                                        "from_device": [("-1", DEVICE)], "bytes": [(HUGE, VALUE)]}),
    "cudaMemset2DAsync": ("device(), 16, 0, 16, 4, stream()", {"at": "memset", "pitch": [("8", VALUE), (HUGE, VALUE)], "value": ANY,
                                                              "width": [(HUGE, VALUE)], "height": [(HUGE, VALUE), ("1 << 20", VALUE)]}),
    "cudaMalloc3D": ("&box, make_cudaExtent(8, 8, 8)", {"extent": [("make_cudaExtent(SIZE_MAX, 1, 1)", VALUE),
                                                                   ("make_cudaExtent(64, SIZE_MAX, 2)", MEMORY),
                                                                   ("make_cudaExtent(64, (size_t)1 << 31, (size_t)1 << 31)", MEMORY)]}),
    "cudaMemset3D": ("make_cudaPitchedPtr(device(), 16, 16, 4), 0, make_cudaExtent(16, 4, 4)",
                     {"at": [("make_cudaPitchedPtr(nullptr, 16, 16, 4)", VALUE), ("make_cudaPitchedPtr(stack(), 16, 16, 4)", VALUE),
                             ("make_cudaPitchedPtr(device(), SIZE_MAX, 16, 4)", VALUE),
                             ("make_cudaPitchedPtr(device(), 16, 16, SIZE_MAX)", VALUE), ("make_cudaPitchedPtr(device(), 16, 16, 2)", VALUE)],
                      "value": ANY, "extent": [("make_cudaExtent(SIZE_MAX, 4, 4)", VALUE), ("make_cudaExtent(16, SIZE_MAX, 4)", VALUE),
                                               ("make_cudaExtent(16, 4, SIZE_MAX)", VALUE)]}),
    "cudaProfilerStart": ("", {}), "cudaProfilerStop": ("", {}),
    "cudaMalloc": ("&memory, 64", {"bytes": [(HUGE, MEMORY), ("(size_t)1 << 40", MEMORY)]}),
    "cudaFree": ("device()", {"at": [(v % "device()" if "%" in v else v, c) for v, c in NO_FREE] + [("pinned()", VALUE), ("inside(managed())", VALUE)]}),
    "cudaMallocPitch": ("&memory, &size, 64, 64", {"width": [(HUGE, VALUE), ("(size_t)-16", VALUE), ("(size_t)1 << 40", VALUE)],
                                                   "height": [(HUGE, MEMORY), ("(size_t)1 << 58", MEMORY)]}),
    "cudaMallocManaged": ("&memory, 64, cudaMemAttachGlobal", {"bytes": [("0", VALUE), (HUGE, MEMORY), ("(size_t)1 << 40", MEMORY)],
                                                              "flags": [("0", VALUE), ("3", VALUE), ("cudaMemAttachSingle", VALUE)]}),
    "cudaMallocHost": ("&memory, 64", {"bytes": [(HUGE, MEMORY), ("(size_t)1 << 40", MEMORY)]}),
    "cudaHostAlloc": ("&memory, 64, cudaHostAllocDefault", {"bytes": [(HUGE, MEMORY), ("(size_t)1 << 40", MEMORY)], "flags": [("8", VALUE)]}),
    "cudaFreeHost": ("pinned()", {"at": [(v % "pinned()" if "%" in v else v, c) for v, c in NO_FREE] +
                                  [("device()", VALUE), ("managed()", VALUE), ("registered()", VALUE)]}),
    "cudaHostRegister": ("heap(), 64, cudaHostRegisterDefault",
                         {"at": [("nullptr", VALUE), ("unmapped", VALUE), ("registered()", "HostMemoryAlreadyRegistered"),
                                 ("inside(registered())", "HostMemoryAlreadyRegistered"), ("pinned()", "HostMemoryAlreadyRegistered"),
                                 ("device()", VALUE)], "bytes": [("0", VALUE), (HUGE, VALUE), ("(size_t)1 << 40", VALUE)],
                          "flags": [("0x10", VALUE), ("cudaHostRegisterIoMemory", "NotSupported")]}),
    "cudaHostUnregister": ("registered()", {"at": [("nullptr", VALUE), ("stack()", "HostMemoryNotRegistered"), ("statics", "HostMemoryNotRegistered"),
                                                   ("inside(registered())", VALUE), ("unregistered()", "HostMemoryNotRegistered"),
                                                   ("pinned()", "HostMemoryNotRegistered"), ("device()", "HostMemoryNotRegistered")]}),
    "cudaHostGetDevicePointer": ("&memory, pinned(), 0", {"host": [("nullptr", VALUE), *NOT_MEMORY, ("device()", VALUE), ("managed()", VALUE),
                                                                   ("freed_pinned()", VALUE), ("unregistered()", VALUE)], "flags": [("1", VALUE)]}),
    "cudaMallocAsync": ("&memory, 64, stream()", {"bytes": [(HUGE, MEMORY)]}),
    "cudaFreeAsync": ("device(), stream()", {"at": [("nullptr", VALUE), *NOT_MEMORY, ("inside(device())", VALUE), ("freed(device())", VALUE),
                                                    ("pinned()", VALUE)]}),
    "cudaPointerGetAttributes": ("&attributes, device()", {"at": ANY}),  # of any pointer it says what it is
    "cudaMemPrefetchAsync": ("managed(), 64, 0, stream()", {"at": "managed", "bytes": [("0", VALUE), (HUGE, VALUE)],
                                                           "device": [("1", DEVICE), ("-2", DEVICE)]}),
    "cudaMemAdvise": ("managed(), 64, cudaMemAdviseSetReadMostly, 0", {"at": "managed", "bytes": [("0", VALUE), (HUGE, VALUE)],
                                                                      "device": [("1", DEVICE), ("-2", DEVICE)]}),
    "cudaMemcpy": ("device(), text, 32, cudaMemcpyHostToDevice", "copy"),
    "cudaMemcpyAsync": ("device(), text, 32, cudaMemcpyHostToDevice, stream()", "copy"),
    "cudaMemcpy2D": ("device(), 16, text, 8, 8, 4, cudaMemcpyHostToDevice", "copy"),
    "cudaMemcpy2DAsync": ("device(), 16, text, 8, 8, 4, cudaMemcpyHostToDevice, stream()", "copy"),
    "cudaMemcpyToSymbol": ("(const void *)symbol, text, 16, 0, cudaMemcpyHostToDevice", "symbol"),
    "cudaMemcpyToSymbolAsync": ("(const void *)symbol, text, 16, 0, cudaMemcpyHostToDevice, stream()", "symbol"),
    "cudaMemcpyFromSymbol": ("text, (const void *)symbol, 16, 0, cudaMemcpyDeviceToHost", "symbol"),
    "cudaMemcpyFromSymbolAsync": ("text, (const void *)symbol, 16, 0, cudaMemcpyDeviceToHost, stream()", "symbol"),
    "cudaGetSymbolAddress": ("&memory, (const void *)symbol", {}), "cudaGetSymbolSize": ("&size, (const void *)symbol", {}),
    "cudaMemset": ("device(), 0, 64", {"at": "memset", "value": ANY, "bytes": [(HUGE, VALUE)]}),
    "cudaMemsetAsync": ("device(), 0, 64, stream()", {"at": "memset", "value": ANY, "bytes": [(HUGE, VALUE)]}),
    "cudaMemset2D": ("device(), 16, 0, 16, 4", {"at": "memset", "pitch": [("8", VALUE), (HUGE, VALUE)], "value": ANY, "width": [(HUGE, VALUE)],
                                               "height": [(HUGE, VALUE), ("1 << 20", VALUE)]}),
    "cudaStreamCreate": ("&a_stream", {}), "cudaStreamCreateWithFlags": ("&a_stream, cudaStreamNonBlocking", {}),
    "cudaStreamCreateWithPriority": ("&a_stream, 0, -1", {"priority": ANY}),  # it is brought into the device's range
    "cudaStreamDestroy": ("stream()", {"stream": KINDS["cudaStream_t"] + [("nullptr", HANDLE), ("twice(stream())", HANDLE)]}),
    "cudaStreamSynchronize": ("stream()", {}), "cudaStreamQuery": ("stream()", {}),
    "cudaStreamWaitEvent": ("stream(), event(), 0", {}),
    "cudaStreamAddCallback": ("stream(), called_back, nullptr, 0", {"callback": NULL, "data": ANY}),
    "cudaLaunchHostFunc": ("stream(), called, nullptr", {"function": NULL, "data": ANY}),
    "cudaEventCreate": ("&an_event", {}),
    "cudaEventCreateWithFlags": ("&an_event, cudaEventDisableTiming", {"flags": [("8", VALUE), ("cudaEventInterprocess", VALUE)]}),
    "cudaEventDestroy": ("event()", {"event": KINDS["cudaEvent_t"] + [("twice(event())", HANDLE)]}),
    "cudaEventRecord": ("event(), stream()", {}), "cudaEventSynchronize": ("event()", {}), "cudaEventQuery": ("event()", {}),
    "cudaEventElapsedTime": ("&milliseconds, recorded(), recorded()",
                             {"from": KINDS["cudaEvent_t"] + [("event()", HANDLE), ("untimed()", HANDLE), ("busy()", "NotReady")],
                              "to": KINDS["cudaEvent_t"] + [("event()", HANDLE), ("untimed()", HANDLE), ("busy()", "NotReady")]}),
    "cudaLaunchKernel": ("(const void *)adds, dim3(1), dim3(32), arguments(), 0, stream()", "launch"),
    "cudaLaunchCooperativeKernel": ("(const void *)adds, dim3(1), dim3(32), arguments(), 0, stream()", "launch"),
    "cudaFuncGetAttributes": ("&of_function, (const void *)adds", {}),
    "cudaFuncSetAttribute": ("(const void *)adds, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024",
                             {"value": [("-1", VALUE), ("1 << 20", VALUE), ("0x7fffffff", VALUE)]}),
    "cudaFuncSetCacheConfig": ("(const void *)adds, cudaFuncCachePreferL1", {}),
    "cudaFuncSetSharedMemConfig": ("(const void *)adds, cudaSharedMemBankSizeDefault", {}),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": ("&number, (const void *)adds, 32, 0", "occupancy"),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ("&number, (const void *)adds, 32, 0, 0", "occupancy"),
    "cudaOccupancyMaxPotentialBlockSize": ("&number, &other, (const void *)adds, 0, 0", {"function": KINDS["const void *function"], "shared": ANY,
                                                                                        "most": [("-1", VALUE)]}),
    "cudaOccupancyMaxPotentialBlockSizeVariableSMem": ("&number, &other, (const void *)adds, no_shared, 0",
                                                       {"function": KINDS["const void *function"], "shared": ANY, "most": [("-1", VALUE)]}),
    "__cudaPopCallConfiguration": ("&grid, &block, &size, &a_stream", {"stream": NULL}),
}
ROWS |= arguments_textures.ROWS
# What several rows share.
SHARED = {
    "copy": {"to": [("nullptr", VALUE), ("text", VALUE), ("freed(device())", VALUE), ("inside(device()) + 1024", VALUE)], "to_pitch": [("4", PITCH), (HUGE, PITCH)],
             "from": [*BAD_SOURCE, ("device()", VALUE)], "from_pitch": [("4", PITCH), (HUGE, PITCH)], "bytes": [(HUGE, VALUE), ("(size_t)1 << 40", VALUE)],
             "width": [("17", PITCH), (HUGE, PITCH)], "height": [(HUGE, VALUE), ("1 << 20", VALUE)]},
    "symbol": {"to": BAD_SOURCE, "from": BAD_SOURCE, "bytes": [("17", VALUE), (HUGE, VALUE)], "offset": [("1", VALUE), (HUGE, VALUE)],
               "kind": KINDS["enum cudaMemcpyKind"] + [("cudaMemcpyHostToHost", DIRECTION)]},
    "launch": {"arguments": [("nullptr", VALUE), ("no_arguments", VALUE)], "shared": [("1 << 20", VALUE), (HUGE, VALUE)]},
    "occupancy": {"threads": [("0", VALUE), ("-1", VALUE)], "shared": ANY},  # more than there is: no block
    "memset": [("nullptr", VALUE), *NOT_MEMORY, ("unmapped", VALUE), ("freed(device())", VALUE), ("inside(device()) + 1024", VALUE)],
    "managed": [("nullptr", VALUE), *NOT_MEMORY, ("device()", VALUE), ("pinned()", VALUE)],
}
OTHER_RETURNS = {"cudaGetErrorName": "const char *", "cudaGetErrorString": "const char *", "__cudaPushCallConfiguration": "unsigned"} | arguments_textures.OTHER_RETURNS

PROGRAM = """
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

__constant__ char symbol[16];
__global__ void adds(int *p, int by) { p[threadIdx.x] += by; }
__global__ void spins(int *p) { for (int i = 0; i < 2000; i++) p[threadIdx.x] += i; }

static char statics[4096], text[4096], *const unmapped = (char *)0x10000;
static int number, other;
static unsigned word;
static size_t size;
static float milliseconds;
static void *memory, *no_arguments[2];
static cudaDeviceProp properties;
static cudaFuncCache cache;
static cudaSharedMemConfig banks;
static cudaPitchedPtr box;
static cudaPointerAttributes attributes;
static cudaFuncAttributes of_function;
static cudaStream_t a_stream;
static cudaEvent_t an_event;
static dim3 grid, block;

static char *device() { void *p; cudaMalloc(&p, 256); return (char *)p; }
static char *pinned() { void *p; cudaMallocHost(&p, 256); return (char *)p; }
static char *managed() { void *p; cudaMallocManaged(&p, 256); return (char *)p; }
static char *heap() { return (char *)malloc(4096); }
static char *stack() { static char *p; char here[64]; p = here; return p; }
static char *registered() { char *p = heap(); cudaHostRegister(p, 4096, 0); return p; }
static char *unregistered() { char *p = registered(); cudaHostUnregister(p); return p; }
static char *inside(char *p) { return p + 16; }
static char *freed(char *p) { if (cudaFree(p)) cudaFreeHost(p); return p; }
static char *freed_pinned() { char *p = pinned(); cudaFreeHost(p); return p; }
static cudaStream_t stream() { cudaStream_t s; cudaStreamCreate(&s); return s; }
static cudaStream_t gone_stream() { cudaStream_t s = stream(); cudaStreamDestroy(s); stream(); return s; }
static cudaEvent_t event() { cudaEvent_t e; cudaEventCreate(&e); return e; }
static cudaEvent_t gone_event() { cudaEvent_t e = event(); cudaEventDestroy(e); event(); return e; }
static cudaStream_t twice(cudaStream_t s) { cudaStreamDestroy(s); return s; }
static cudaEvent_t twice(cudaEvent_t e) { cudaEventDestroy(e); return e; }
static cudaEvent_t recorded() { cudaEvent_t e = event(); cudaEventRecord(e, 0); return e; }
static cudaEvent_t untimed() { cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming); cudaEventRecord(e, 0); return e; }
static cudaEvent_t busy() { spins<<<1, 32>>>((int *)device()); return recorded(); }
@MORE@static void called(void *) {}
static void called_back(cudaStream_t, cudaError_t, void *) {}
static size_t no_shared(int) { return 0; }
static void **arguments() { static void *p, *all[2]; static int by = 1; p = device(); all[0] = &p; all[1] = &by; return all; }

#define SAY(what, ...) do { printf("%s\\t", what); fflush(stdout); cudaGetLastError(); cudaError_t got = __VA_ARGS__; \\
    cudaError_t last = got == cudaErrorNotReady ? got : cudaPeekAtLastError(); \\
    printf("%s\\t%s\\n", cudaGetErrorName(got), cudaGetErrorName(last)); cudaGetLastError(); } while (0)

int main()
{
    cudaGetDeviceCount(&number);
"""


class Failure(Exception):
    pass


def declared():
    """{name: [(type, parameter's name), ...]} of every function that a header in cuda/include/ declares, or defines for the host
    where none declares it."""
    functions = {}
    texts = [stripped(header.read_text()) for header in sorted(HEADERS.glob("*.h*"))]
    for end in (";", "{"):
        for text in texts:
            for found in re.finditer(FUNCTION_OF + end, text):
                parameters = " ".join(found[2].split())
                parts = [] if parameters in ("", "void") else [p.split("=")[0].strip() for p in parameters.split(",")]
                functions.setdefault(found[1], [split(part) for part in parts])
    return functions


def stripped(text):
    """Without comments, lines of the preprocessor and default values."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\\\n", " ", text, flags=re.S)
    return re.sub(r"WR_DEFAULT\([^)]*\)|^\s*#.*$", " ", text, flags=re.M)


def split(parameter):
    found = re.match(r"(.*?)(\w+)$", parameter)
    return found[1].strip(), found[2]


def cases_of(name, parameters, row):
    """[(parameter, its bad value, code, all arguments)]; a parameter without a bad value fails."""
    good, bad = row
    bad = SHARED[bad] if isinstance(bad, str) else bad
    words = arguments(good)
    if len(words) != len(parameters):
        raise Failure(f"{name}: the row has {len(words)} arguments, the header {len(parameters)}")
    unknown = set(bad) - {p for _, p in parameters} if not isinstance(row[1], str) else set()
    if unknown:
        raise Failure(f"{name}: the row has bad values of {unknown}, which are no parameters")
    made = []
    for at, (kind, parameter) in enumerate(parameters):
        values = bad[parameter] if parameter in bad else values_of(kind, parameter)
        values = SHARED[values] if isinstance(values, str) else values
        if values == []:
            raise Failure(f"{name}: no bad value of its parameter '{kind} {parameter}'")
        made += [(parameter, value, code, words[:at] + [value] + words[at + 1:]) for value, code in values or []]
    return made


def values_of(kind, parameter):
    numbers = {"device": "int device", "number": "int device", "peer": "int device", "flags": "unsigned flags"}
    for key in (kind, f"{kind} {parameter}".replace("* ", "*"), numbers.get(parameter, "")):
        if key in KINDS and ("*" in key or "*" not in kind):
            return KINDS[key]
    return NULL if RESULT.match(f"{kind} {parameter}") and kind not in ("void *", "const void *") else []


def arguments(text):
    """Words between commas that are in no brackets."""
    words, depth, word = [], 0, ""
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            words.append(word.strip())
            word = ""
        else:
            word += letter
    return words + [word.strip()] if word.strip() else words


def program_of(functions):
    """The program's text, and per line that it prints what stands in it: (call, code)."""
    lines, want = [PROGRAM.replace("@MORE@", arguments_textures.PROGRAM)], []
    for name, parameters in functions.items():
        before = "__cudaPushCallConfiguration(dim3(1), dim3(1), 0, nullptr), " if name == "__cudaPopCallConfiguration" else ""
        good = ("", "", "", arguments(ROWS[name][0]))
        for parameter, value, code, words in [good, *cases_of(name, parameters, ROWS[name])]:
            call = f"{name}({', '.join(words)})"
            what = f"{call}" + (f", {parameter} = {value}" if parameter else "")
            literal = what.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'    SAY("{literal}", ({before}{call}));')
            want.append((what, f"cudaError{code}" if code else "cudaSuccess"))
        lines.append('    SAY("the GPU works", cudaDeviceSynchronize());')
        want.append(("the GPU works", "cudaSuccess"))
    lines.append("    printf(\"%s %s\\n\", cudaGetErrorName((cudaError_t)-1), cudaGetErrorString((cudaError_t)12345));\n    return 0;\n}")
    return "\n".join(lines) + "\n", want


class Counts:
    def __init__(self):
        self.passed = self.failed = 0

    def note(self, good, text):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAIL  {text}", flush=True)


def calls(counts, options, folder):
    functions = declared()
    missing = sorted(set(functions) - set(ROWS) - set(OTHER_RETURNS))
    counts.note(not missing, f"functions of the headers without a row here: {' '.join(missing)}")
    gone = sorted(set(ROWS) - set(functions))
    counts.note(not gone, f"rows of functions that no header declares: {' '.join(gone)}")
    text, want = program_of({name: p for name, p in functions.items() if name in ROWS})
    source = folder / "arguments.cu"
    source.write_text(text)
    if options.keep:
        pathlib.Path(options.keep).write_text(text)
    environment = {k: v for k, v in os.environ.items() if k != "WARPREF"} | {"WARPREF_PROGRAM": str(options.program.resolve())}
    environment["WARPREF"] = "--max-cycles 10000000"  # a launch that should have been refused comes to an end
    subprocess.run([options.cc, "cc", "-O0", "-Wno-return-stack-address", source, "-o", folder / "arguments"], check=True, timeout=HANGS)
    done = subprocess.run([folder / "arguments"], env=environment, capture_output=True, text=True, check=False, timeout=HANGS)
    said = done.stdout.splitlines()
    for line, (what, code) in zip(said, want):
        answer = line.split("\t")
        counts.note(answer[1:] == [code, code] and answer[0] == what, f"{what}: {' then '.join(answer[1:]) or 'the process ended'}, not {code}")
    counts.note(len(said) == len(want) + 1 and said[-1] == "unrecognized error code unrecognized error code" and done.returncode == 0,
                f"the program ended with status {done.returncode} in line {len(said)} of {len(want) + 1}: {said[-1:]} {done.stderr[-300:]}")


def languages(counts, folder):
    """Each header alone, as C and as C++."""
    places = ["-I", HEADERS, "-I", ROOT / "kernels"]
    compilers = {"as C": ["gcc", "-std=c11", "-x", "c"], "as C++": ["g++", "-x", "c++"]}
    for header in sorted(HEADERS.glob("*.h*")):
        for language, words in compilers.items():
            done = subprocess.run([*words, "-Wall", "-Werror", "-fsyntax-only", *places, "-"], input=f'#include "{header.name}"\n',
                                  capture_output=True, text=True, check=False, cwd=folder, timeout=HANGS)
            counts.note(done.returncode == 0, f"{header.name} {language}: {done.stderr[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/warpref", help="whose GPU it is (build/release/bin/warpref)")
    parser.add_argument("--cc", type=pathlib.Path, default=ROOT / "build/release/bin/warpref", help="that compiles (the same)")
    parser.add_argument("--keep", metavar="FILE.cu", help="the program of the calls")
    options = parser.parse_args()
    counts = Counts()
    with tempfile.TemporaryDirectory() as scratch:
        languages(counts, pathlib.Path(scratch))
        try:
            calls(counts, options, pathlib.Path(scratch))
        except (Failure, subprocess.SubprocessError) as failure:
            counts.note(False, failure)
    print(f"{counts.passed} passed, {counts.failed} failed")
    return 1 if counts.failed or not counts.passed else 0


if __name__ == "__main__":
    sys.exit(main())
