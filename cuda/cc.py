#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref cc: compiles CUDA programs as they are; what comes out runs its kernels on the simulated GPU.

Each .cu file goes through clang twice, for device and host, with the headers of cuda/include/; the PTX stands in the
object file. Programs are linked with the runtime of warpref, which starts the GPU at the first call.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import replace  # noqa: E402

ROOT = pathlib.Path(os.environ["WARPREF_ROOT"])
PROGRAM = pathlib.Path(os.environ["WARPREF_PROGRAM"])
EPILOG = """Sources are .cu, .cc, .cpp, .cxx, .c, .o, .a; options are those of nvcc that programs are built with, and any others
go to clang as they are. nvcc's choice of a GPU (-arch, -gencode, -code) means nothing here.

  warpref cc saxpy.cu -o saxpy && ./saxpy
  WARPREF="--config maxwell --system preemption:period=10000 --stats s.json" ./saxpy

WARPREF has the options of `warpref run`, apart from those about launch files; --counters and --json print its report
on standard error behind the program. WARPREF_CLANGXX names a clang++ (clang++-14). docs/cuda.md says what of CUDA there is. Exit status: 0 it was compiled, 1 it was not,
2 bad usage.
"""
# Options of nvcc with a value in the next word or behind =, which choose what is not to be chosen here.
IGNORED_WITH_VALUE = ["-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code", "-ccbin", "--compiler-bindir",
                      "-maxrregcount", "--maxrregcount", "-Xptxas", "--ptxas-options", "-Xnvlink", "-t", "--threads", "-cudart", "--cudart",
                      "-Xcudafe", "-diag-suppress", "--diag-suppress", "-time", "--time", "-keep-dir", "--keep-dir"]
# Arithmetic is that of IEEE here, and multiplications and additions are not joined.
IGNORED_BEGIN = ("-arch", "-maxrregcount", "-ftz=", "--ftz=", "-prec-div=", "--prec-div=", "-prec-sqrt=", "--prec-sqrt=", "-fmad=",
                 "--fmad=", "-split-compile", "-t0")
IGNORED = ["-G", "-lineinfo", "--generate-line-info", "-m64", "--expt-relaxed-constexpr", "--expt-extended-lambda",
           "--extended-lambda", "-lcudart", "-lcuda", "-lcudart_static", "-lcudadevrt", "-restrict", "-src-in-ptx", "--source-in-ptx", "--no-align-double", "-res-usage",
           "--resource-usage", "-keep", "-rdc=false", "--relocatable-device-code=false", "-forward-unknown-to-host-compiler",
           "-forward-unknown-to-host-linker", "-Wno-deprecated-gpu-targets", "--default-stream=legacy", "-default-stream=legacy"]
ACROSS = "device code of several files that call each other, as launches by kernels (dynamic parallelism) need it,"
REFUSED = {"--relocatable-device-code=true": ACROSS,
           "-default-stream=per-thread": "a default stream for each thread", "--default-stream=per-thread": "a default stream for each thread",
           "-ptx": "PTX as output (--keep DIR has it)", "-cubin": "machine code of a GPU", "-fatbin": "machine code of a GPU",
           "-lib": "archives of device code", "-rdc=true": ACROSS, "-dc": ACROSS,
           "-dlink": ACROSS, "-lcublas": "cuBLAS", "-lcufft": "cuFFT", "-lcurand": "cuRAND",
           "-lcusparse": "cuSPARSE", "-lcudnn": "cuDNN", "-lcusolver": "cuSOLVER"}
TO_HOST = ["-Xcompiler", "--compiler-options", "-Xlinker", "--linker-options"]
CUDA = ["-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_50", "-fdeclspec", "-Wno-unknown-cuda-version",
        "-Xclang", "-target-sdk-version=11.5", "-include", "cuda_runtime.h",
        "-Wno-error=c++11-narrowing", "-Wno-error=reserved-user-defined-literal"]  # of which nvcc warns


NOT_FOUND = "not found; install Debian's clang-14, or name a clang++ in WARPREF_CLANGXX"
LINKED = ["-fgpu-rdc"]


class Refused(Exception):
    """Bad usage."""


class Failed(Exception):
    """A compiler's exit status; it has said why."""


def words(argv):
    """nvcc's words as clang has them: (for all compiles, for the host alone, sources and libraries in order)."""
    everywhere, host, link, rest = [], [], [], list(argv)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word in REFUSED:
            raise Refused(f"{word}: {REFUSED[word]} is not here; docs/cuda.md says what is")
        if name in IGNORED_WITH_VALUE:
            if not equals and rest:
                rest.pop(0)
        elif word in IGNORED or word.startswith(IGNORED_BEGIN):
            continue
        elif word in ("-default-stream", "--default-stream", "-std", "--std", "-Werror") and rest and not rest[0].startswith("-"):
            value = rest.pop(0)  # nvcc has the value in the next word as well
            if word != "-Werror":
                rest.insert(0, f"{word}={value}")
        elif name in TO_HOST:
            value = value if equals else rest.pop(0) if rest else ""
            prefix = ["-Xlinker"] if "inker" in name else []
            for part in value.split(","):
                (link if prefix else host).extend([*prefix, part])
                if part == "-fopenmp":
                    link.append(part)
        elif word in ("-use_fast_math", "--use_fast_math"):
            everywhere += ["-ffast-math"]
        elif word in ("-x",):
            rest[:1] = []  # a file's ending says what it is
        elif word.startswith("-l") or word.startswith("-L") or word.startswith("-Wl,") or not word.startswith("-"):
            link.append(word)
            if word in ("-L", "-l") and rest:
                link.append(rest.pop(0))
        elif word in ("-I", "-D", "-U", "-include", "-isystem", "-MF", "-MT") and rest:
            everywhere += [word, rest.pop(0)]
        else:
            everywhere.append({"--std": "-std"}.get(name, name) + equals + value)
    return everywhere, host, link


def own_words(argv):
    """(options of this command, all others). argparse would take -ccbin for -c."""
    mine, others, rest = [], [], list(argv)
    while rest:
        word = rest.pop(0)
        word = "--cuda" if word == "-cuda" else word  # as nvcc has it
        if word in ("-h", "--help", "-c", "--compile", "--cuda", "-v", "--verbose") or word.startswith(("--keep=", "--output-file=", "--toolkit=")):
            mine.append(word)
        elif word in ("-o", "--output-file", "--keep", "--toolkit"):
            mine += [word, *rest[:1]]
            rest[:1] = []
        elif word.startswith("-o"):
            mine += ["-o", word[2:]]
        else:
            others.append(word)
    return mine, others


def run(command, verbose):
    if verbose:
        print(" ".join(map(str, command)), file=sys.stderr)
    try:
        status = subprocess.run(command, check=False).returncode
    except FileNotFoundError:
        raise Refused(f"{command[0]}: {NOT_FOUND}") from None
    if status != 0:
        raise Failed(1)


def run_device(command, verbose):
    """Runs clang for the device; the options beyond the command's that it needed. Dynamic shared memory that is no array
    clang takes only where device code of several files may be linked, of which nvcc knows nothing."""
    colour = ["-fcolor-diagnostics"] if sys.stderr.isatty() else []
    for more in ([], LINKED):
        words_of = [*command, *colour, *more, *(["-cuid=warpref"] if more else [])]
        if verbose:
            print(" ".join(map(str, words_of)), file=sys.stderr)
        try:
            done = subprocess.run(words_of, check=False, stderr=subprocess.PIPE, text=True, errors="replace")
        except FileNotFoundError:
            raise Refused(f"{command[0]}: {NOT_FOUND}") from None
        if more or not re.search(r"__shared__ variable .* cannot be 'extern'", done.stderr):
            break
    sys.stderr.write(done.stderr)
    if done.returncode != 0:
        raise Failed(1)
    return more


def name_alone(ptx):
    """With LINKED clang gives static variables names of their own, for other files; the host has the plain ones."""
    text = ptx.read_text()
    for long, plain in set(re.findall(r"\b((\w+?)__static__\w+)", text)):
        text = re.sub(rf"^\.extern [^;]*\b{plain}(\[\d+\])?;\n", "", text, flags=re.M)
        text = re.sub(rf"\b{long}\b", plain, text)
    ptx.write_text(text)


def register_alone(made, verbose):
    """In an object with LINKED clang registers its device code by a function of its own name, which nvcc's linker would
    write; the runtime has one for all."""
    names = subprocess.run(["nm", "-u", made], check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in re.findall(r"\b__cudaRegisterLinkedBinary\w+", names):
        run(["objcopy", "--redefine-sym", f"{name}=__warprefRegisterBinary", made], verbose)


def library():
    for folder in (PROGRAM.parent / "../lib", PROGRAM.parent / "../lib/warpref"):
        if (folder / "libwarpref_cudart.so").exists():
            return folder.resolve()
    raise Refused(f"no libwarpref_cudart.so beside {PROGRAM}: build or install all of warpref")


def device_flags(clang):
    """The options for device code, which are one list for all of warpref."""
    version = re.search(r"-(\d+)$", clang)
    if not version and shutil.which(clang):
        said = subprocess.run([clang, "-dumpversion"], check=False, stdout=subprocess.PIPE, text=True).stdout
        version = re.match(r"(\d+)", said)
    flags = subprocess.run([PROGRAM, "compile", "--device-flags" + (f"={version[1]}" if version else "")], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return flags.split()


def put(made, output):
    """The output takes the place of what is there, with the rights that the compiler gave it."""
    replace.write(output, lambda part: shutil.copyfile(made, part))
    if os.path.isfile(output):
        shutil.copymode(made, output)


def keep_apart(output, sources, listed):
    """The output is none of the sources, nor a header that one includes, as `listed` of clang's -MD has them."""
    names = [*sources, *re.split(r"(?<!\\)\s+", " ".join(f.read_text().partition(":")[2].replace("\\\n", " ") for f in listed))]
    for name in (n.replace("\\ ", " ") for n in names if n):
        if os.path.exists(name) and os.path.exists(output) and os.path.samefile(name, output):
            raise Refused(f"{output} and {name} are one file, which is read; it would be lost")


def join_brackets(source, folder):
    """nvcc reads `<< <1, 32 >> >` as a launch, clang does not: where there is one, clang is given the text with the blank moved."""
    text = source.read_text(errors="surrogateescape")
    joined = re.sub(r"<<([ \t]+)<(?!<)((?:(?!>>)[^;{}])*)>>([ \t]+)>", r"\1<<<\2>>>\3", text)
    if joined == text:
        return []
    copy, overlay = folder / f"joined_{source.name}", folder / "overlay.json"
    copy.write_text(joined, errors="surrogateescape")
    file = {"name": source.name, "type": "file", "external-contents": str(copy)}
    roots = [{"name": str(source.parent.absolute()), "type": "directory", "contents": [file]}]
    overlay.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}))
    return ["-ivfsoverlay", str(overlay)]


def place_references(ptx):
    """Texture and surface references become what they are here, words (cuda/include/texture_reference.h)."""
    text = ptx.read_text()
    placed = re.sub(r"^((?:\.visible )?\.global) \.(?:texref|surfref) (\S+);$", r"\1 .align 8 .u64 \2;", text, flags=re.MULTILINE)
    if placed != text:
        ptx.write_text(placed)


def compile_file(clang, source, to, everywhere, host, folder, args):
    """Makes the object `to`, and beside it the list of what it was made of."""
    headers = ["-I", str(ROOT / "cuda/include"), "-I", str(ROOT / "kernels")]
    listing = [] if any(w.startswith("-M") for w in everywhere) else ["-MD", "-MF", f"{to}.d"]
    if source.suffix != ".cu":
        is_c = source.suffix == ".c"
        words_of = [w for w in everywhere if not (is_c and w.startswith("-std=") and "++" in w)]
        run([clang, *words_of, *host, *headers, *listing, *(["-x", "c"] if is_c else []), "-c", "-o", to, source], args.verbose)
        return
    optimized = [] if any(w.startswith("-O") for w in everywhere) else ["-O2"]
    ptx = pathlib.Path(args.keep or folder) / f"{source.stem}.ptx"
    common = [clang, *CUDA, *headers, *optimized, *everywhere, *join_brackets(source, pathlib.Path(folder))]
    if args.preprocess:
        run([*common, "--cuda-host-only", *host, "-E", "-o", to, source], args.verbose)
        return
    math = library() / "libdevice.64.bc"
    # Lines for messages, those of our headers under the name that the compiler of PTX knows (shell/isa/source.h).
    lines = [f"-fdebug-prefix-map={ROOT / own}=<warpref>/{own}" for own in ("kernels/cuda", "kernels/cooperative_groups", "cuda/include")]
    more = run_device([*common, "--cuda-device-only", *device_flags(clang), *lines, "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(math),
         "-o", str(ptx), source], args.verbose)
    place_references(ptx)
    if more:
        name_alone(ptx)
    ended = pathlib.Path(folder) / "ended.ptx"  # clang 16 and later puts no byte behind it that would end it
    ended.write_bytes(ptx.read_bytes() + b"\0")
    run([*common, "--cuda-host-only", *host, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(ended), *listing, *more, "-c", "-o", to,
         source], args.verbose)
    if more:
        register_alone(to, args.verbose)


def build(args, everywhere, host, link):
    clang = os.environ.get("WARPREF_CLANGXX") or "clang++-14"
    clang = clang if shutil.which(clang) else "clang++"
    kinds = {".cu", ".cc", ".cpp", ".cxx", ".c"}
    sources = [w for w in link if pathlib.Path(w).suffix in kinds and not w.startswith("-")]
    for word in link:
        if not word.startswith("-") and pathlib.Path(word).suffix in kinds | {".o", ".a", ".so"} and not pathlib.Path(word).exists():
            raise Refused(f"{word}: no such file")
    if not sources and not any(w.endswith((".o", ".a")) for w in link):
        raise Refused("name a program's source, for example saxpy.cu")
    if (args.c or args.preprocess) and args.output and len(sources) > 1:
        raise Refused("-c with -o takes one source")
    if args.keep:
        pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        objects = {}
        for number, name in enumerate(sources):
            objects[name] = f"{scratch}/{number}.o"
            compile_file(clang, pathlib.Path(name), objects[name], everywhere, host, scratch, args)
        output = args.output or "a.out"
        if args.output:
            keep_apart(output, [w for w in link if not w.startswith("-")], pathlib.Path(scratch).glob("*.d"))
        if args.c or args.preprocess:
            ending = ".o" if args.c else ".cu.cpp.ii"
            for name in sources:
                put(objects[name], args.output or pathlib.Path(name).stem + ending)
        else:
            folder = library()
            words_of = [objects.get(w, w) for w in link]
            flags = [w for w in everywhere if not w.startswith(("-D", "-I", "-std", "-O", "-include"))]
            run([clang, "-o", f"{scratch}/program", *words_of, *[w for w in flags if w.startswith(("-f", "-p", "-m", "-g")) and w != "-mllvm"],
                 f"-L{folder}", "-lwarpref_cudart", f"-Wl,-rpath,{folder}", "-lm", "-lpthread"], args.verbose)
            put(f"{scratch}/program", output)


def toolkit(name):
    """A folder that makefiles take for CUDA's toolkit: nvcc is this command, headers and libraries are ours."""
    folder = pathlib.Path(name)
    try:
        for part in ("bin", "include", "lib64"):
            (folder / part).mkdir(parents=True)
        (folder / "bin/nvcc").write_text(f"#!/bin/sh\nexec {shlex.quote(str(PROGRAM.resolve()))} cc \"$@\"\n")
        (folder / "bin/nvcc").chmod(0o755)
        ours = [*(ROOT / "kernels").glob("cuda*"), *(ROOT / "kernels").glob("cooperative_groups*"), *(ROOT / "cuda/include").iterdir()]
        for header, path in {path.name: path for path in ours}.items():  # cuda.h: the latter one
            (folder / "include" / header).symlink_to(path.resolve())
        for linked in ("libcudart.so", "libcuda.so", "libwarpref_cudart.so"):
            (folder / "lib64" / linked).symlink_to(library() / "libwarpref_cudart.so")
        (folder / "lib64/libcudart_static.a").write_text("INPUT(-lcudart)\n")
        (folder / "lib").symlink_to("lib64")
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from None


def interrupted(number, _):
    raise KeyboardInterrupt(number)


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, interrupted)
    parser = argparse.ArgumentParser(prog="warpref cc", description=__doc__.split("\n\n")[0].partition(": ")[2], epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
                                     usage="warpref cc FILE.cu... [-o PROGRAM] [OPTION...]")
    parser.add_argument("-o", "--output-file", dest="output", metavar="FILE", help="the program, or with -c the object file (a.out)")
    parser.add_argument("-c", "--compile", dest="c", action="store_true", help="compile alone, to object files")
    parser.add_argument("--cuda", dest="preprocess", action="store_true", help="preprocess alone, to FILE.cu.cpp.ii: the host's text (also -cuda)")
    parser.add_argument("--keep", metavar="DIR", help="keep the PTX of each .cu file there")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the commands")
    parser.add_argument("--toolkit", metavar="DIR", help="make a folder that makefiles take for CUDA's toolkit (CUDA_PATH=DIR), and nothing else")
    mine, others = own_words(sys.argv[1:])
    args = parser.parse_args(mine)
    try:
        if args.toolkit:
            toolkit(args.toolkit)
            return 0
        build(args, *words(others))
    except Refused as refused:
        print(f"warpref cc: {refused}", file=sys.stderr)
        return 2
    except Failed as failed:
        return failed.args[0]
    except KeyboardInterrupt as interrupt:  # temporary files are gone
        number = interrupt.args[0] if interrupt.args else signal.SIGINT
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return 0


if __name__ == "__main__":
    sys.exit(main())
