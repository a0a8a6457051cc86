/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h for a compiler of the host: threads are coroutines, which take turns where they wait for
 * one another.
 *
 * A thread goes on until it waits, so that an atomic operation is a plain one, and a lock is always
 * free. Functions are in the words of CUDA's programming guide and of the PTX manual.
 */
#include <cmath>
#include <map>
#include <ucontext.h>
#include <vector>

#define __global__ static
#define __device__
#define __host__
#define __shared__ static
#define __constant__
#define __noinline__    __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define HD
#define UNSET(type, name) type name = type()
#define NO_RETURN(value)  return value
#define MORE_STEPS        wr_step()
#define MOST_STEPS        200000
#define MOST_TURNS        1000000

struct Meeting {
    unsigned arrived, round;
    u64 value[2][32];
};
struct Thread {
    ucontext_t context;
    std::vector<char> stack;
    bool done;
};
static struct {
    ucontext_t main;
    Thread threads[THREADS];
    std::map<u32, Meeting> warps[THREADS / 32];
    Meeting block;
    void (*body)(void *);
    void *argument;
    unsigned steps;
    bool endless;
} wr;
static struct {
    unsigned x;
} threadIdx;

static inline void wr_stop(const char *why)
{
    fprintf(stderr, "host: %s\n", why);
    exit(3);
}
static inline void wr_turn()
{
    Thread *self = &wr.threads[threadIdx.x];

    swapcontext(&self->context, &wr.main);
}
/* A program whose loops do not end soon is none for a simulated GPU: none of its threads goes on.
 */
static inline bool wr_step()
{
    if (++wr.steps > MOST_STEPS) {
        wr.endless = true;
        wr_turn();
    }
    return true;
}
static inline void wr_thread()
{
    wr.body(wr.argument);
    wr.threads[threadIdx.x].done = true;
    wr_turn();
}
template <typename Body> static void wr_block(Body body)
{
    bool some = true;

    wr.body = [](void *b) { (*(Body *)b)(); };
    wr.argument = &body;
    wr.steps = 0;
    wr.endless = false;
    for (Thread &t : wr.threads) {
        t.stack.resize(1 << 18);
        getcontext(&t.context);
        t.context.uc_stack.ss_sp = t.stack.data();
        t.context.uc_stack.ss_size = t.stack.size();
        makecontext(&t.context, wr_thread, 0);
        t.done = false;
    }
    for (unsigned turn = 0; some && !wr.endless; turn++) {
        some = false;
        for (unsigned i = 0; i < THREADS; i++) {
            if (!wr.threads[i].done && !wr.endless) {
                threadIdx.x = i;
                swapcontext(&wr.main, &wr.threads[i].context);
                some = true;
            }
        }
        if (turn > MOST_TURNS) {
            wr_stop("lanes wait for one another for ever");
        }
    }
}
static inline bool wr_endless()
{
    return wr.endless;
}
#define LAUNCH(values, in, out, cells, kernel, ...) wr_block([&] { kernel(__VA_ARGS__); })

/* The values of all that meet, by lane; `count` come. */
static inline const u64 *wr_meet(Meeting *m, unsigned count, unsigned place, u64 value)
{
    unsigned round = m->round;

    m->value[round & 1][place] = value;
    if (++m->arrived == count) {
        m->arrived = 0;
        m->round++;
    }
    while (m->round == round) {
        wr_turn();
    }
    return m->value[round & 1];
}
static inline u32 wr_lane()
{
    return threadIdx.x & 31;
}
static inline const u64 *wr_lanes(u32 mask, u64 value)
{
    if ((mask >> wr_lane() & 1) == 0) {
        wr_stop("a lane that is not in its mask");
    }
    return wr_meet(&wr.warps[threadIdx.x / 32][mask], (unsigned)__builtin_popcount(mask), wr_lane(),
                   value);
}
static inline void __syncwarp(u32 mask = FULL)
{
    wr_lanes(mask, 0);
}
static inline void __syncthreads()
{
    wr_meet(&wr.block, THREADS, 0, 0);
}
static inline void __threadfence() {}
static inline void __threadfence_block() {}

/* Shuffles: the lane that is read, or the lane itself where that one is out of reach. */
template <typename T> static T wr_read(u32 mask, T value, bool within, u32 from)
{
    u64 bits = 0;
    T got;

    memcpy(&bits, &value, sizeof value);
    const u64 *all = wr_lanes(mask, bits);
    from = within ? from & 31 : wr_lane();
    if ((mask >> from & 1) == 0) {
        wr_stop("a shuffle from a lane that is not in the mask");
    }
    memcpy(&got, &all[from], sizeof got);
    return got;
}
template <typename T> static T __shfl_sync(u32 mask, T value, int from, int width = 32)
{
    u32 part = wr_lane() & ~(u32)(width - 1);

    return wr_read(mask, value, true, part | ((u32)from & (u32)(width - 1)));
}
template <typename T> static T __shfl_up_sync(u32 mask, T value, u32 by, int width = 32)
{
    return wr_read(mask, value, (wr_lane() & (u32)(width - 1)) >= by, wr_lane() - by);
}
template <typename T> static T __shfl_down_sync(u32 mask, T value, u32 by, int width = 32)
{
    return wr_read(mask, value, (wr_lane() & (u32)(width - 1)) + by < (u32)width, wr_lane() + by);
}
template <typename T> static T __shfl_xor_sync(u32 mask, T value, int by, int width = 32)
{
    u32 from = wr_lane() ^ (u32)by;

    return wr_read(mask, value, (from & ~(u32)(width - 1)) <= (wr_lane() & ~(u32)(width - 1)),
                   from);
}
static inline u32 __ballot_sync(u32 mask, int holds)
{
    const u64 *all = wr_lanes(mask, holds != 0);
    u32 ballot = 0;

    for (unsigned i = 0; i < 32; i++) {
        ballot |= (mask >> i & 1) != 0 && all[i] != 0 ? 1u << i : 0;
    }
    return ballot;
}
static inline int __any_sync(u32 mask, int holds)
{
    return __ballot_sync(mask, holds) != 0;
}
static inline int __all_sync(u32 mask, int holds)
{
    return __ballot_sync(mask, holds) == mask;
}
template <typename T> static u32 __match_any_sync(u32 mask, T value)
{
    const u64 *all = wr_lanes(mask, (u64)value);
    u32 same = 0;

    for (unsigned i = 0; i < 32; i++) {
        same |= (mask >> i & 1) != 0 && all[i] == (u64)value ? 1u << i : 0;
    }
    return same;
}
template <typename T> static u32 __match_all_sync(u32 mask, T value, int *holds)
{
    u32 same = __match_any_sync(mask, value);

    *holds = same == mask;
    return *holds ? mask : 0;
}
#define REDUCE(name, T, step)                                                                      \
    static inline T name(u32 mask, T value)                                                        \
    {                                                                                              \
        const u64 *all = wr_lanes(mask, (u64)value);                                               \
        T a = (T)all[__builtin_ctz(mask)];                                                         \
        for (unsigned i = (unsigned)__builtin_ctz(mask) + 1; i < 32; i++) {                        \
            if ((mask >> i & 1) != 0) {                                                            \
                T b = (T)all[i];                                                                   \
                a = (T)(step);                                                                     \
            }                                                                                      \
        }                                                                                          \
        return a;                                                                                  \
    }
REDUCE(__reduce_add_sync, u32, a + b)
REDUCE(__reduce_min_sync, u32, a < b ? a : b)
REDUCE(__reduce_max_sync, u32, a > b ? a : b)
REDUCE(__reduce_min_sync, s32, a < b ? a : b)
REDUCE(__reduce_max_sync, s32, a > b ? a : b)
REDUCE(__reduce_and_sync, u32, a &b)
REDUCE(__reduce_or_sync, u32, a | b)
REDUCE(__reduce_xor_sync, u32, a ^ b)

#define ATOMIC(name, next)                                                                         \
    template <typename T, typename V> static T name(T *p, V v)                                     \
    {                                                                                              \
        T a = *p, b = (T)v;                                                                        \
        *p = (T)(next);                                                                            \
        return a;                                                                                  \
    }
ATOMIC(atomicAdd, a + b)
ATOMIC(atomicExch, b)
ATOMIC(atomicMin, a < b ? a : b)
ATOMIC(atomicMax, a > b ? a : b)
ATOMIC(atomicAnd, a &b)
ATOMIC(atomicOr, a | b)
ATOMIC(atomicXor, a ^ b)
template <typename T> static T atomicCAS(T *p, T compare, T value)
{
    T old = *p;

    *p = old == compare ? value : old;
    return old;
}

static inline int __popc(u32 x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(u64 x)
{
    return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((u32)x);
}
static inline int __clzll(s64 x)
{
    return x == 0 ? 64 : __builtin_clzll((u64)x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(s64 x)
{
    return __builtin_ffsll(x);
}
static inline u64 __brevll(u64 x)
{
    u64 r = 0;

    for (unsigned i = 0; i < 64; i++) {
        r |= (x >> i & 1) << (63 - i);
    }
    return r;
}
static inline u32 __brev(u32 x)
{
    return (u32)(__brevll(x) >> 32);
}
static inline u32 __byte_perm(u32 x, u32 y, u32 selector)
{
    u64 both = (u64)y << 32 | x;
    u32 r = 0;

    for (unsigned i = 0; i < 4; i++) {
        r |= (u32)(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    }
    return r;
}
static inline u32 __funnelshift_l(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) << (n & 31) >> 32);
}
static inline u32 __funnelshift_r(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) >> (n & 31));
}
static inline u32 __funnelshift_lc(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) << (n < 32 ? n : 32) >> 32);
}
static inline u32 __funnelshift_rc(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) >> (n < 32 ? n : 32));
}
static inline int __mulhi(int x, int y)
{
    return (int)((s64)x * y >> 32);
}
static inline u32 __umulhi(u32 x, u32 y)
{
    return (u32)((u64)x * y >> 32);
}
static inline s64 __mul64hi(s64 x, s64 y)
{
    return (s64)((__int128)x * y >> 64);
}
static inline u64 __umul64hi(u64 x, u64 y)
{
    return (u64)((unsigned __int128)x * y >> 64);
}
static inline u32 __usad(u32 x, u32 y, u32 z)
{
    return (x > y ? x - y : y - x) + z;
}

/* Numbers of 16 bits with `mantissa` bits behind the point, of doubles; all NaNs are 0x7fff. */
static inline u16 wr_narrow(double x, int mantissa)
{
    int bias = (1 << (14 - mantissa)) - 1, exponent;
    u16 sign = std::signbit(x) ? 0x8000 : 0, infinity = (u16)((2 * bias + 1) << mantissa);

    if (x != x) {
        return 0x7fff;
    }
    if (std::isinf(x)) {
        return (u16)(sign | infinity);
    }
    std::frexp(x, &exponent);
    exponent = x == 0 || exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    double steps = std::nearbyint(std::ldexp(std::fabs(x), mantissa - exponent));
    double bits = steps + std::ldexp((double)(exponent + bias - 1), mantissa);
    return (u16)(sign | (bits >= infinity ? infinity : (u16)bits));
}
static inline float wr_wide(u16 bits, int mantissa)
{
    int bias = (1 << (14 - mantissa)) - 1, exponent = (bits & 0x7fff) >> mantissa,
        low = bits & ((1 << mantissa) - 1);
    double x = exponent == 2 * bias + 1
                   ? (low != 0 ? NAN : INFINITY)
                   : std::ldexp(exponent == 0 ? low : low + (1 << mantissa),
                                (exponent == 0 ? 1 : exponent) - bias - mantissa);

    return (float)((bits & 0x8000) != 0 ? -x : x);
}
struct __half {
    u16 bits;
};
struct __nv_bfloat16 {
    u16 bits;
};
#define NARROW(T, name, mantissa)                                                                  \
    static inline T __float2##name##_rn(float x)                                                   \
    {                                                                                              \
        return {wr_narrow(x, mantissa)};                                                           \
    }                                                                                              \
    static inline T __double2##name(double x)                                                      \
    {                                                                                              \
        return {wr_narrow(x, mantissa)};                                                           \
    }                                                                                              \
    static inline T __int2##name##_rn(int x)                                                       \
    {                                                                                              \
        return {wr_narrow(x, mantissa)};                                                           \
    }                                                                                              \
    static inline T __uint2##name##_rn(u32 x)                                                      \
    {                                                                                              \
        return {wr_narrow(x, mantissa)};                                                           \
    }                                                                                              \
    static inline float __##name##2float(T x)                                                      \
    {                                                                                              \
        return wr_wide(x.bits, mantissa);                                                          \
    }                                                                                              \
    static inline T __ushort_as_##name(u16 x)                                                      \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    static inline u16 __##name##_as_ushort(T x)                                                    \
    {                                                                                              \
        return x.bits;                                                                             \
    }                                                                                              \
    static inline T __hadd(T x, T y)                                                               \
    {                                                                                              \
        return {                                                                                   \
            wr_narrow((double)wr_wide(x.bits, mantissa) + wr_wide(y.bits, mantissa), mantissa)};   \
    }                                                                                              \
    static inline T __hsub(T x, T y)                                                               \
    {                                                                                              \
        return {                                                                                   \
            wr_narrow((double)wr_wide(x.bits, mantissa) - wr_wide(y.bits, mantissa), mantissa)};   \
    }                                                                                              \
    static inline T __hmul(T x, T y)                                                               \
    {                                                                                              \
        return {                                                                                   \
            wr_narrow((double)wr_wide(x.bits, mantissa) * wr_wide(y.bits, mantissa), mantissa)};   \
    }
NARROW(__half, half, 10)
NARROW(__nv_bfloat16, bfloat16, 7)
