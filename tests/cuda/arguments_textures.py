#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of arguments.py for arrays, textures and surfaces. Its documentation gives cudaErrorInvalidValue for what is no array."""
VALUE, TEXTURE, SURFACE, DIRECTION, PITCH = "InvalidValue", "InvalidTexture", "InvalidSurface", "InvalidMemcpyDirection", "InvalidPitchValue"
HUGE = "SIZE_MAX"
ANY = None
NULL = [("nullptr", VALUE)]
ARRAYS = [("gone_array()", VALUE), ("(cudaArray_t)0x1234", VALUE), ("(cudaArray_t)stack()", VALUE), ("(cudaArray_t)device()", VALUE)]
OBJECTS = [("0", VALUE), ("77", VALUE), ("(uintptr_t)device()", VALUE), ("gone_object()", VALUE)]

KINDS = {
    "cudaArray_t": ARRAYS + NULL, "cudaArray_const_t": ARRAYS + NULL,
    "cudaTextureObject_t": OBJECTS + [("surface_object()", VALUE)], "cudaSurfaceObject_t": OBJECTS + [("texture_object()", VALUE)],
    "const struct textureReference *": [("nullptr", TEXTURE), ("(const textureReference *)stack()", TEXTURE),
                                        ("(const textureReference *)&plane", TEXTURE)],
    "const struct surfaceReference *": [("nullptr", SURFACE), ("(const surfaceReference *)stack()", SURFACE),
                                        ("(const surfaceReference *)&line", SURFACE)],
    "const struct cudaResourceDesc *": NULL + [("no_resource()", VALUE), ("gone_resource()", VALUE)],
    "const struct cudaTextureDesc *": NULL + [("no_mode()", VALUE)],
    "const struct cudaMemcpy3DParms *": NULL + [("empty_copy()", VALUE), ("long_copy()", VALUE), ("flat_copy()", VALUE)],
    "const struct cudaChannelFormatDesc *": NULL,
}
LINE, PLANE, SURFACE_REFERENCE = "(const textureReference *)&line", "(const textureReference *)&image", "(const surfaceReference *)&plane"
MADE = {"width": [("0", VALUE), ("65537", VALUE), (HUGE, VALUE)], "height": [("65537", VALUE), (HUGE, VALUE)],
        "desc": [("nullptr", VALUE), ("no_channels()", "InvalidChannelDescriptor")], "extent":
        [("make_cudaExtent(0, 1, 1)", VALUE), ("make_cudaExtent(4, 0, 4)", VALUE), ("make_cudaExtent(4, 4, SIZE_MAX)", VALUE)]}
ROWS = {
    "cudaGetChannelDesc": ("&channels, array()", {}),
    "cudaMallocArray": ("&an_array, words(), 8, 4, 0", {k: MADE[k] for k in ("desc", "width", "height")}),
    "cudaMalloc3DArray": ("&an_array, words(), make_cudaExtent(8, 4, 2), 0", {k: MADE[k] for k in ("desc", "extent")}),
    "cudaFreeArray": ("array()", {"array": ARRAYS}),  # none is nothing to free
    "cudaArrayGetInfo": ("&channels, &an_extent, &word, array()", {"desc": ANY, "extent": ANY, "flags": ANY}),  # each may be null
    "cudaMemcpy3D": ("a_copy()", {}), "cudaMemcpy3DAsync": ("a_copy(), stream()", {}),
    "cudaCreateTextureObject": ("&an_object, a_resource(), a_mode(), nullptr", {"view": [("a_view()", "NotSupported")]}),
    "cudaDestroyTextureObject": ("texture_object()", {}),
    "cudaGetTextureObjectResourceDesc": ("&a_description, texture_object()", {}),
    "cudaGetTextureObjectTextureDesc": ("&another, texture_object()", {}),
    "cudaCreateSurfaceObject": ("&an_object, a_resource()", {}), "cudaDestroySurfaceObject": ("surface_object()", {}),
    "cudaGetSurfaceObjectResourceDesc": ("&a_description, surface_object()", {}),
    "cudaBindTexture": (f"nullptr, {LINE}, device(), words(), 64", {"offset": ANY, "at": [("nullptr", VALUE), ("stack()", VALUE), ("inside(device())", VALUE)],
                                                                    "bytes": [("0", VALUE), ("3", VALUE), (HUGE, VALUE)]}),
    "cudaBindTexture2D": (f"nullptr, {PLANE}, device(), words(), 8, 2, 32",
                          {"offset": ANY, "at": [("nullptr", VALUE), ("stack()", VALUE)], "width": [("0", VALUE), ("9", VALUE), (HUGE, VALUE)],
                           "height": [("0", VALUE), (HUGE, VALUE)], "pitch": [("4", VALUE), ("33", VALUE), (HUGE, VALUE)]}),
    "cudaBindTextureToArray": (f"{PLANE}, array(), words()", {"desc": [("no_channels()", VALUE)]}),
    "cudaUnbindTexture": (LINE, {}),
    "cudaGetTextureAlignmentOffset": ("&size, bound()", {"reference": KINDS["const struct textureReference *"] +
                                                         [("(const textureReference *)&unbound", "InvalidTextureBinding")]}),
    "cudaGetTextureReference": ("&a_reference, (const void *)&line", {"reference": NULL, "symbol": [("nullptr", TEXTURE), ("stack()", TEXTURE)]}),
    "cudaBindSurfaceToArray": (f"{SURFACE_REFERENCE}, array(), words()", {"desc": [("no_channels()", VALUE)]}),
    "cudaGetSurfaceReference": ("&of_surface, (const void *)&plane", {"reference": NULL, "symbol": [("nullptr", SURFACE), ("stack()", SURFACE)]}),
}
RANGES = {"x": [("33", VALUE), (HUGE, VALUE)], "y": [("5", VALUE), (HUGE, VALUE)], "bytes": [("129", VALUE), (HUGE, VALUE)],
          "width": [("33", VALUE), (HUGE, VALUE)], "height": [("5", VALUE), (HUGE, VALUE)], "pitch": [("4", PITCH), (HUGE, PITCH)],
          "from": [("nullptr", VALUE), ("unmapped", VALUE)], "to": [("nullptr", VALUE), ("unmapped", VALUE)],
          "to_x": [("33", VALUE), (HUGE, VALUE)], "to_y": [("5", VALUE)], "from_x": [("33", VALUE)], "from_y": [("5", VALUE), (HUGE, VALUE)]}


def copies():
    """Rows of copies between arrays and memory: rows of 32 bytes, 4 of them."""
    for name, good, parameters in (("ToArray", "array(), 0, 0, text, 128, cudaMemcpyHostToDevice", "x y from bytes"),
                                   ("FromArray", "text, array(), 0, 0, 128, cudaMemcpyDeviceToHost", "x y to bytes"),
                                   ("2DToArray", "array(), 0, 0, text, 32, 32, 4, cudaMemcpyHostToDevice", "x y from pitch width height"),
                                   ("2DFromArray", "text, 32, array(), 0, 0, 32, 4, cudaMemcpyDeviceToHost", "x y to pitch width height")):
        bad = {parameter: RANGES[parameter] for parameter in parameters.split()}
        yield f"cudaMemcpy{name}", (good, bad)
        yield f"cudaMemcpy{name}Async", (f"{good}, stream()", bad)
    places = {parameter: RANGES[parameter] for parameter in ("to_x", "to_y", "from_x", "from_y")}
    yield "cudaMemcpyArrayToArray", ("array(), 0, 0, array(), 0, 0, 128, cudaMemcpyDeviceToDevice", places | {"bytes": RANGES["bytes"]})
    yield "cudaMemcpy2DArrayToArray", ("array(), 0, 0, array(), 0, 0, 32, 4, cudaMemcpyDeviceToDevice",
                                       places | {"width": RANGES["width"], "height": RANGES["height"]})


ROWS |= dict(copies())
CHANNELS = "struct cudaChannelFormatDesc "
OTHER_RETURNS = {f"cudaCreateChannelDesc{of}": CHANNELS for of in ("", "Half", "Half1", "Half2", "Half4")}

PROGRAM = """
texture<int> line;
texture<int, 2> image;
texture<int> unbound;
surface<void, 2> plane;
static cudaChannelFormatDesc channels;
static cudaExtent an_extent;
static cudaArray_t an_array;
static unsigned long long an_object;
static cudaResourceDesc a_description;
static cudaTextureDesc another;
static const textureReference *a_reference;
static const surfaceReference *of_surface;
static const cudaChannelFormatDesc *words() { static cudaChannelFormatDesc d = cudaCreateChannelDesc<int>(); return &d; }
static const cudaChannelFormatDesc *no_channels() { static cudaChannelFormatDesc d = {7, 0, 0, 0, cudaChannelFormatKindFloat}; return &d; }
static cudaArray_t array() { cudaArray_t a; cudaMallocArray(&a, words(), 8, 4, cudaArraySurfaceLoadStore); return a; }
static cudaArray_t gone_array() { cudaArray_t a = array(); cudaFreeArray(a); array(); return a; }
static const cudaResourceDesc *with(cudaResourceType type, cudaArray_t a)
{ static cudaResourceDesc r; r.resType = type; r.res.array.array = a; return &r; }
static const cudaResourceDesc *a_resource() { return with(cudaResourceTypeArray, array()); }
static const cudaResourceDesc *gone_resource() { return with(cudaResourceTypeArray, gone_array()); }
static const cudaResourceDesc *no_resource() { return with((cudaResourceType)9, array()); }
static const cudaTextureDesc *a_mode() { static cudaTextureDesc d; return &d; }
static const cudaTextureDesc *no_mode() { static cudaTextureDesc d; d.addressMode[0] = (cudaTextureAddressMode)9; return &d; }
static const cudaResourceViewDesc *a_view() { static cudaResourceViewDesc v; v.format = (cudaResourceViewFormat)1; return &v; }
static unsigned long long texture_object() { cudaTextureObject_t t; cudaCreateTextureObject(&t, a_resource(), a_mode(), nullptr); return t; }
static unsigned long long gone_object() { cudaTextureObject_t t = texture_object(); cudaDestroyTextureObject(t); return t; }
static unsigned long long surface_object() { cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, a_resource()); return s; }
static const textureReference *bound() { cudaBindTexture(nullptr, line, device(), 64); return (const textureReference *)&line; }
static cudaMemcpy3DParms *empty_copy() { static cudaMemcpy3DParms p; return &p; }
static cudaMemcpy3DParms *a_copy()
{ static cudaMemcpy3DParms p; p.srcPtr = make_cudaPitchedPtr(text, 32, 8, 4); p.dstArray = array(); p.extent = make_cudaExtent(8, 4, 1);
  p.kind = cudaMemcpyHostToDevice; return &p; }
static cudaMemcpy3DParms *flat_copy() /* all planes in one place */
{ static cudaMemcpy3DParms p; p.srcPtr = make_cudaPitchedPtr(text, 32, 8, 0); p.dstPtr = make_cudaPitchedPtr(device(), 32, 8, 0);
  p.extent = make_cudaExtent(8, 4, SIZE_MAX); p.kind = cudaMemcpyHostToDevice; return &p; }
static cudaMemcpy3DParms *long_copy() { static cudaMemcpy3DParms p; p = *a_copy(); p.extent.depth = SIZE_MAX; return &p; }
"""
