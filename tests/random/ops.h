/* SPDX-License-Identifier: Apache-2.0 */
/* What threads do together, and other operations beyond rig.h's: warps, barriers with number and
 * count, atomics whose result is used, f16, calls. Device: PTX. Host: the words of the PTX manual.
 *
 * A warp operation names its lanes, and all of them come to it. Where a lane reads another that is
 * not named, PTX leaves the value open and the rig says 0.
 */
#ifdef __CUDA__
#define FUN       static __attribute__((noinline)) __device__
#define TABLE     static __device__ const
#define CONSTANT  static __constant__ const
#define BOUNDS(n) __attribute__((launch_bounds(n)))
#if __SIZEOF_POINTER__ == 8
#define ADDRESS "l"
#else
#define ADDRESS "r"
#endif

#define VOTE(name, text)                                                                           \
    FN u32 vote_##name(u32 lanes, u32 p)                                                           \
    {                                                                                              \
        u32 r;                                                                                     \
        asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync." text ".pred q, p, %2;"  \
                     " selp.u32 %0, 1, 0, q; }"                                                    \
                     : "=r"(r)                                                                     \
                     : "r"(p), "r"(lanes));                                                        \
        return r;                                                                                  \
    }
VOTE(all, "all")
VOTE(any, "any")
VOTE(uni, "uni")
FN u32 ballot(u32 lanes, u32 p)
{
    u32 r;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(r)
                 : "r"(p), "r"(lanes));
    return r;
}
FN u32 active(u32 lanes)
{
    u32 r;
    [[clang::nomerge]] /* clang would make one of two that begin both sides of a branch */
    {
        asm volatile("activemask.b32 %0;" : "=r"(r));
    }
    return r;
}
#define SHUFFLE(name)                                                                              \
    FN u32 move_##name(u32 lanes, u32 v, u32 b, u32 c, u32 *moved)                                 \
    {                                                                                              \
        u32 r, p;                                                                                  \
        asm volatile("{ .reg .pred p; shfl.sync." #name ".b32 %0|p, %2, %3, %4, %5;"               \
                     " selp.u32 %1, 1, 0, p; }"                                                    \
                     : "=r"(r), "=r"(p)                                                            \
                     : "r"(v), "r"(b), "r"(c), "r"(lanes));                                        \
        *moved = p;                                                                                \
        return r;                                                                                  \
    }
SHUFFLE(up)
SHUFFLE(down)
SHUFFLE(bfly)
SHUFFLE(idx)
#define GATHER(name, text, type, reg)                                                              \
    FN u32 name(u32 lanes, type v)                                                                 \
    {                                                                                              \
        u32 r;                                                                                     \
        asm volatile(text " %0, %1, %2;" : "=r"(r) : reg(v), "r"(lanes));                          \
        return r;                                                                                  \
    }
GATHER(match_any32, "match.any.sync.b32", u32, "r")
GATHER(match_any64, "match.any.sync.b64", u64, "l")
GATHER(match_all32, "match.all.sync.b32", u32, "r")
GATHER(match_all64, "match.all.sync.b64", u64, "l")
GATHER(redux_add, "redux.sync.add.u32", u32, "r")
GATHER(redux_umin, "redux.sync.min.u32", u32, "r")
GATHER(redux_umax, "redux.sync.max.u32", u32, "r")
GATHER(redux_smin, "redux.sync.min.s32", u32, "r")
GATHER(redux_smax, "redux.sync.max.s32", u32, "r")
GATHER(redux_and, "redux.sync.and.b32", u32, "r")
GATHER(redux_or, "redux.sync.or.b32", u32, "r")
GATHER(redux_xor, "redux.sync.xor.b32", u32, "r")
FN u32 lane_id(void)
{
    u32 r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

FN void bar_sync(u32 number, u32 count, u32 threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"((count + 31) & ~31u) : "memory");
}
FN void bar_arrive(u32 number, u32 count, u32 threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"((count + 31) & ~31u) : "memory");
}
FN u32 bar_popc(u32 p)
{
    u32 r;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(r)
                 : "r"(p)
                 : "memory");
    return r;
}
#define BAR_RED(name)                                                                              \
    FN u32 bar_##name(u32 p)                                                                       \
    {                                                                                              \
        u32 r;                                                                                     \
        asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red." #name ".pred q, 0, p;"    \
                     " selp.u32 %0, 1, 0, q; }"                                                    \
                     : "=r"(r)                                                                     \
                     : "r"(p)                                                                      \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }
BAR_RED(and)
BAR_RED(or)

#define ATOM(name, text, type, reg)                                                                \
    FN type name(type *p, type v)                                                                  \
    {                                                                                              \
        type r;                                                                                    \
        asm volatile("atom." text " %0, [%1], %2;" : "=" reg(r) : ADDRESS(p), reg(v) : "memory");  \
        return r;                                                                                  \
    }
ATOM(swap_u32, "exch.b32", u32, "r")
ATOM(swap_u64, "exch.b64", u64, "l")
ATOM(old_inc, "inc.u32", u32, "r")
ATOM(old_dec, "dec.u32", u32, "r")
ATOM(old_umin64, "min.u64", u64, "l")
ATOM(old_smax64, "max.s64", u64, "l")
ATOM(old_and64, "and.b64", u64, "l")
ATOM(old_or64, "or.b64", u64, "l")
ATOM(old_xor64, "xor.b64", u64, "l")
ATOM(old_add64, "add.u64", u64, "l")
ATOM(old_addf, "add.f32", f32, "f")
FN u32 cas_u32(u32 *p, u32 was, u32 v)
{
    u32 r;
    asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(r)
                 : ADDRESS(p), "r"(was), "r"(v)
                 : "memory");
    return r;
}
FN u64 cas_u64(u64 *p, u64 was, u64 v)
{
    u64 r;
    asm volatile("atom.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(r)
                 : ADDRESS(p), "l"(was), "l"(v)
                 : "memory");
    return r;
}

#define FROM_HALF(name, type, text, reg)                                                           \
    FN type name(u32 a)                                                                            \
    {                                                                                              \
        type r;                                                                                    \
        asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt." text " %0, h; }" : "=" reg(r) : "r"(a));      \
        return r;                                                                                  \
    }
#define TO_HALF(name, type, text, reg)                                                             \
    FN u32 name(type a)                                                                            \
    {                                                                                              \
        u32 r;                                                                                     \
        asm("{ .reg .b16 h; cvt." text " h, %1; cvt.u32.u16 %0, h; }" : "=r"(r) : reg(a));         \
        return r;                                                                                  \
    }
FROM_HALF(half_f32, f32, "f32.f16", "f")
FROM_HALF(half_f64, f64, "f64.f16", "d")
FROM_HALF(half_s32, u32, "rzi.s32.f16", "r")
TO_HALF(f32_half, f32, "rn.f16.f32", "f")
TO_HALF(f32_half_rz, f32, "rz.f16.f32", "f")
TO_HALF(f64_half, f64, "rn.f16.f64", "d")
TO_HALF(u32_half, u32, "rn.f16.u32", "r")
#define HALF2(name, text)                                                                          \
    FN u32 name(u32 a, u32 b)                                                                      \
    {                                                                                              \
        u32 r;                                                                                     \
        asm("{ .reg .b16 x, y; cvt.u16.u32 x, %1; cvt.u16.u32 y, %2; " text " x, x, y;"            \
            " cvt.u32.u16 %0, x; }"                                                                \
            : "=r"(r)                                                                              \
            : "r"(a), "r"(b));                                                                     \
        return r;                                                                                  \
    }
HALF2(half_add, "add.rn.f16")
HALF2(half_mul, "mul.rn.f16")
#else
#define FUN      static __attribute__((noinline))
#define TABLE    static const
#define CONSTANT static const
#define BOUNDS(n)

/* Lanes that meet: a place for each set of lanes, two turns of values. */
static struct {
    u32 lanes, count, left, turn;
    u64 value[2][32];
} meetings[THREADS / 32][64];
static u64 met[32];

FN u32 lane_id(void)
{
    return current & 31;
}
static void meet(u32 lanes, u64 v)
{
    u32 i = 0, size = (u32)__builtin_popcount(lanes);
    while (i < 64 && meetings[current / 32][i].lanes != lanes)
        i++;
    for (i = i < 64 ? i : 0; meetings[current / 32][i].lanes != lanes; i++) {
        if (i == 63)
            exit(4);
        if (!meetings[current / 32][i].count && !meetings[current / 32][i].left)
            meetings[current / 32][i--].lanes = lanes;
    }
    auto *m = &meetings[current / 32][i];
    u32 turn = m->turn;
    m->value[turn & 1][lane_id()] = v;
    if (++m->count == size)
        m->count = 0, m->left += size, m->turn++, progress++;
    while (m->turn == turn)
        yield();
    memcpy(met, m->value[turn & 1], sizeof met);
    m->left--;
}
#define LANES(i, lanes)                                                                            \
    for (u32 i = 0; i < 32; i++)                                                                   \
        if (lanes >> i & 1)
FN u32 ballot(u32 lanes, u32 p)
{
    u32 r = 0;
    meet(lanes, p != 0);
    LANES(i, lanes)
    r |= (u32)met[i] << i;
    return r;
}
FN u32 vote_all(u32 lanes, u32 p)
{
    return ballot(lanes, p) == lanes;
}
FN u32 vote_any(u32 lanes, u32 p)
{
    return ballot(lanes, p) != 0;
}
FN u32 vote_uni(u32 lanes, u32 p)
{
    u32 b = ballot(lanes, p);
    return b == 0 || b == lanes;
}
FN u32 active(u32 lanes)
{
    return lanes;
}
FN u32 match_any64(u32 lanes, u64 v)
{
    u32 r = 0;
    meet(lanes, v);
    LANES(i, lanes)
    r |= (u32)(met[i] == v) << i;
    return r;
}
FN u32 match_any32(u32 lanes, u32 v)
{
    return match_any64(lanes, v);
}
FN u32 match_all64(u32 lanes, u64 v)
{
    return match_any64(lanes, v) == lanes ? lanes : 0;
}
FN u32 match_all32(u32 lanes, u32 v)
{
    return match_all64(lanes, v);
}
#define REDUX(name, type, expression)                                                              \
    FN u32 redux_##name(u32 lanes, u32 v)                                                          \
    {                                                                                              \
        type a = 0, b;                                                                             \
        u32 first = 1;                                                                             \
        meet(lanes, v);                                                                            \
        LANES(i, lanes)                                                                            \
        {                                                                                          \
            b = (type)met[i];                                                                      \
            a = first ? b : (expression);                                                          \
            first = 0;                                                                             \
        }                                                                                          \
        return (u32)a;                                                                             \
    }
REDUX(add, u32, a + b)
REDUX(umin, u32, a < b ? a : b)
REDUX(umax, u32, a > b ? a : b)
REDUX(smin, s32, a < b ? a : b)
REDUX(smax, s32, a > b ? a : b)
REDUX(and, u32, a &b)
REDUX(or, u32, a | b)
REDUX(xor, u32, a ^ b)

static void bar_arrive(u32 number, u32 count, u32 threads_)
{
    if (++bars[number].arrived == threads_)
        bar_opens(number);
}
static void bar_sync(u32 number, u32 count, u32 threads_)
{
    u32 turn = bars[number].turn;
    bar_arrive(number, count, threads_);
    while (bars[number].turn == turn)
        yield();
}
FN u32 bar_popc(u32 p)
{
    u32 turn = bars[0].turn & 1;
    bars[0].sum[turn] += p != 0;
    wait();
    return bars[0].sum[turn];
}
FN u32 bar_and(u32 p)
{
    return bar_popc(!p) == 0;
}
FN u32 bar_or(u32 p)
{
    return bar_popc(p) != 0;
}

#define OLD(name, type, expression)                                                                \
    FN type name(type *p, type v)                                                                  \
    {                                                                                              \
        type old = *p;                                                                             \
        *p = (expression);                                                                         \
        return old;                                                                                \
    }
OLD(swap_u32, u32, v)
OLD(swap_u64, u64, v)
OLD(old_inc, u32, old >= v ? 0 : old + 1)
OLD(old_dec, u32, old == 0 || old > v ? v : old - 1)
OLD(old_umin64, u64, v < old ? v : old)
OLD(old_smax64, u64, (s64)v > (s64)old ? v : old)
OLD(old_and64, u64, old &v)
OLD(old_or64, u64, old | v)
OLD(old_xor64, u64, old ^ v)
OLD(old_add64, u64, old + v)
OLD(old_addf, f32, old + v)
FN u32 cas_u32(u32 *p, u32 was, u32 v)
{
    return swap_u32(p, *p == was ? v : *p);
}
FN u64 cas_u64(u64 *p, u64 was, u64 v)
{
    return swap_u64(p, *p == was ? v : *p);
}

/* 1 bit sign, 5 bits exponent, 10 bits fraction. */
static f64 half_f64(u32 a)
{
    u32 e = a >> 10 & 31, f = a & 1023;
    f64 v = e == 31 ? f ? (f64)NAN : (f64)INFINITY
            : e     ? ldexp(1024.0 + f, (int)e - 25)
                    : ldexp(f, -24);
    return a >> 15 & 1 ? -v : v;
}
static u32 to_half(f64 v, u32 nearest)
{
    u32 sign = signbit(v) ? 0x8000 : 0;
    f64 a = fabs(v), unit;
    if (v != v)
        return 0x7fff;
    if (isinf(v))
        return sign | 0x7c00;
    unit = a < 0x1p-14 ? 0x1p-24 : ldexp(1.0, ilogb(a) - 10);
    a = (nearest ? rint(a / unit) : trunc(a / unit)) * unit;
    if (a >= 65536)
        return sign | (nearest ? 0x7c00 : 0x7bff);
    if (a < 0x1p-14)
        return sign | (u32)(a * 0x1p24);
    int e = ilogb(a);
    return sign | (u32)(e + 15) << 10 | ((u32)ldexp(a, 10 - e) & 1023);
}
FN f32 half_f32(u32 a)
{
    return (f32)half_f64(a);
}
FN u32 half_s32(u32 a)
{
    return (a & 0x7fff) > 0x7c00 ? 0 : (u32)f64_s32(half_f64(a));
}
FN u32 f32_half(f32 a)
{
    return to_half(a, 1);
}
FN u32 f32_half_rz(f32 a)
{
    return to_half(a, 0);
}
FN u32 f64_half(f64 a)
{
    return to_half(a, 1);
}
FN u32 u32_half(u32 a)
{
    return to_half(a, 1);
}
FN u32 half_add(u32 a, u32 b)
{
    return to_half(half_f64(a) + half_f64(b), 1);
}
FN u32 half_mul(u32 a, u32 b)
{
    return to_half(half_f64(a) * half_f64(b), 1);
}
#endif

/* The lane that a shuffle reads, as the manual has it; `*inside` is its predicate. */
enum { UP, DOWN, BFLY, IDX };
FN u32 shuffle_lane(u32 kind, u32 b, u32 c, u32 *inside)
{
    s32 lane = (s32)lane_id(), by = b & 31, seg = c >> 8 & 31, clamp = c & 31;
    s32 most = (lane & seg) | (clamp & ~seg), least = lane & seg;
    s32 j = kind == UP     ? lane - by
            : kind == DOWN ? lane + by
            : kind == BFLY ? lane ^ by
                           : least | (by & ~seg);
    *inside = kind == UP ? j >= most : j <= most;
    return (u32)(*inside ? j : lane);
}
#ifndef __CUDA__
#define SHUFFLE(name, kind)                                                                        \
    FN u32 move_##name(u32 lanes, u32 v, u32 b, u32 c, u32 *moved)                                 \
    {                                                                                              \
        u32 lane = shuffle_lane(kind, b, c, moved);                                                \
        meet(lanes, v);                                                                            \
        return (u32)met[lane];                                                                     \
    }
SHUFFLE(up, UP)
SHUFFLE(down, DOWN)
SHUFFLE(bfly, BFLY)
SHUFFLE(idx, IDX)
#endif
#define SHUFFLED(name, kind)                                                                       \
    FN u32 shfl_##name(u32 lanes, u32 v, u32 b, u32 c)                                             \
    {                                                                                              \
        u32 inside, moved, lane = shuffle_lane(kind, b, c, &inside);                               \
        u32 r = move_##name(lanes, v, b, c, &moved);                                               \
        return (lanes >> lane & 1 ? r : 0) + moved + (moved != inside ? 0x1000 : 0);               \
    }
SHUFFLED(up, UP)
SHUFFLED(down, DOWN)
SHUFFLED(bfly, BFLY)
SHUFFLED(idx, IDX)

typedef struct ALIGN(4) bytes {
    u8 x, y, z, w;
} bytes;
typedef struct ALIGN(2) twobytes {
    u8 x, y;
} twobytes;
typedef struct ALIGN(8) halves {
    u16 x, y, z, w;
} halves;
typedef struct ALIGN(4) twohalves {
    u16 x, y;
} twohalves;
typedef struct ALIGN(16) longs {
    u64 x, y;
} longs;

FUN u32 recurse(u32 n, u32 x)
{
    u32 t = x * 3 ^ n;
    if (n == 0 || (t & 15) == 7)
        return t;
    u32 y = recurse(n - 1, t);
    return (y << 29 | y >> 3) + recurse(n >> 1, y) + t;
}
FUN quad twist(quad a, pair b, u32 n)
{
    quad r = {a.y + b.x, a.z ^ b.y, a.w * 5 + n, a.x - b.x};
    return r;
}
FUN u32 mix_a(u32 a, u32 b)
{
    return a * 7 + b;
}
FUN u32 mix_b(u32 a, u32 b)
{
    return b & 1 ? a ^ b >> 1 : a + 13;
}
FUN u32 mix_c(u32 a, u32 b)
{
    u32 r = 0;
    for (u32 i = 0; i < (b & 3); i++)
        r += a >> i ^ r << 1;
    return r;
}
/* The compilers at hand make no branch table. */
FN u32 table_jump(u32 n, u32 a)
{
#ifdef __CUDA__
    u32 r;
    asm volatile("{\n"
                 "targets: .branchtargets place0, place1, place2, place1;\n"
                 "mov.u32 %0, %2;\n"
                 "brx.idx %1, targets;\n"
                 "place0: xor.b32 %0, %0, 77; bra meet;\n"
                 "place1: add.u32 %0, %0, 9;\n"
                 "place2: mul.lo.u32 %0, %0, 5;\n"
                 "meet: }"
                 : "=&r"(r)
                 : "r"(n & 3), "r"(a));
    return r;
#else
    n &= 3;
    return n == 0 ? a ^ 77 : n == 2 ? a * 5 : (a + 9) * 5;
#endif
}
typedef u32 (*mix)(u32, u32);
FN mix mix_of(u32 n)
{
    return n % 3 == 0 ? mix_a : n % 3 == 1 ? mix_b : mix_c;
}
