// SPDX-License-Identifier: Apache-2.0
// The Verilated side of rtl_abi.h: the thinnest C++ that Verilator's classes allow.
// Compiled into every shared object beside the Verilated model, which is always named Vdut.
#include "dpi/rtl_abi.h"

#include "Vdut.h"
#include "verilated.h"

#ifdef WR_LOCKSTEP
#include "Vdut__Dpi.h"
#endif
#ifdef WR_TRACE
#include "verilated_fst_c.h"
#endif
#ifdef WR_COVERAGE
#include "Vdut__Syms.h"
#include "Vdut___024root.h"
#include "dpi/toggles/verilated_vcd_c.h"
#include "verilated_cov.h"
#endif

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#define WR_TEXT_OF(...) #__VA_ARGS__
#define WR_TEXT(...)    WR_TEXT_OF(__VA_ARGS__)

namespace {

constexpr int kNanoseconds = -9;

struct Instance {
    const wr_checker_hook *hook = nullptr;
    bool dead = false; // left in the middle of an evaluation: never evaluated again
    bool finished = false;
    VerilatedContext context;
    uint64_t half_period = 0; // in the context's unit of time
    std::unique_ptr<Vdut> dut;
#ifdef WR_TRACE
    std::unique_ptr<VerilatedFstC> wave;
#endif
#ifdef WR_COVERAGE
    VerilatedVcdC toggles;
#endif
};

// Ports of up to 64 bits are integers, wider ones arrays of words.
template <std::size_t Words> void write(VlWide<Words> &port, const uint32_t *words)
{
    for (std::size_t i = 0; i < Words; i++)
        port[i] = words[i];
}

template <typename Int> void write(Int &port, const uint32_t *words)
{
    uint64_t value = words[0];
    if (sizeof(Int) > 4)
        value |= static_cast<uint64_t>(words[1]) << 32;
    port = static_cast<Int>(value);
}

template <std::size_t Words> void read(const VlWide<Words> &port, uint32_t *words)
{
    for (std::size_t i = 0; i < Words; i++)
        words[i] = port[i];
}

template <typename Int> void read(const Int &port, uint32_t *words)
{
    words[0] = static_cast<uint32_t>(port);
    if (sizeof(Int) > 4)
        words[1] = static_cast<uint32_t>(static_cast<uint64_t>(port) >> 32);
}

// Thrown through the Verilated code where the runtime says that it cannot go on.
struct Ended {};

// Whose code runs on this thread.
thread_local Instance *running;

Instance *self(void *dut)
{
    return static_cast<Instance *>(dut);
}

void finish(void *dut)
{
    Instance *i = self(dut);
    if (i->dead || i->finished)
        return;
    i->finished = true;
    Verilated::threadContextp(&i->context);
    running = i;
    try {
        i->dut->final();
    } catch (const Ended &) {
        i->dead = true;
    }
}

void destroy(void *dut)
{
    Instance *i = self(dut);
    Verilated::threadContextp(&i->context);
#ifdef WR_TRACE
    if (i->wave)
        i->wave->close();
#endif
    finish(dut);
    delete i;
}

#ifdef WR_COVERAGE
// Adds the toggles to Verilator's list of counters, each instance by itself.
void list_toggles(Instance *i)
{
    VerilatedCovContext *list = i->context.coveragep();
    VerilatedVcd *trace = i->toggles.spTrace();

    for (const VerilatedVcd::Signal &s : trace->signals()) {
        for (uint32_t bit = 0; bit < s.bits; bit++) {
            const int index = s.lsb + s.step * static_cast<int>(bit);
            const std::string name = s.name + (s.ranged ? "[" + std::to_string(index) + "]" : "");
            list->_inserti(&trace->counts()[s.first + bit]);
            list->_insertf("", 0);
            list->_insertp("hier", s.scope.c_str(), "page", "v_toggle/signal", "comment",
                           name.c_str(), "per_instance", "1");
        }
    }
}
#endif

// Half a clock cycle, 5 ns as in the waveforms of pins, in units of 10^precision s; one where they
// are longer.
uint64_t half_period(int precision)
{
    uint64_t half = precision <= kNanoseconds ? 5 : 1;

    for (int p = precision; p < kNanoseconds; p++)
        half *= 10;
    return half;
}

void *create(uint64_t seed, wr_rtl_start start, const wr_checker_hook *hook)
{
    Instance *i = new (std::nothrow) Instance;
    if (i == nullptr)
        return nullptr;
    i->hook = hook;
    running = i;
    Verilated::threadContextp(&i->context);
    i->context.threads(1); // else it makes a pool of them, for nobody
    i->context.randReset(start == WR_START_ZEROS ? 0 : start == WR_START_ONES ? 1 : 2);
    i->context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    i->context.traceEverOn(true);
    i->dut.reset(new (std::nothrow) Vdut{&i->context, "TOP"});
    if (!i->dut) {
        delete i;
        return nullptr;
    }
    i->half_period = half_period(i->context.timeprecision());
#ifdef WR_COVERAGE
    i->dut->trace(&i->toggles, 99);
    list_toggles(i);
#endif
    return i;
}

void set(void *dut, bool clk, bool rst_n)
{
    self(dut)->dut->clk_i = clk;
    self(dut)->dut->rst_ni = rst_n;
}

void put(void *dut, const uint32_t *words)
{
    write(self(dut)->dut->in_i, words);
}
void get(void *dut, uint32_t *words)
{
    read(self(dut)->dut->out_o, words);
}

void eval(void *dut)
{
    Instance *i = self(dut);
    if (i->dead)
        return;
    Verilated::threadContextp(&i->context);
    running = i;
    try {
        i->dut->eval();
    } catch (const Ended &) {
        i->dead = true;
        return;
    }
#ifdef WR_TRACE
    if (i->wave)
        i->wave->dump(i->context.time());
#endif
#ifdef WR_COVERAGE
    i->toggles.spTrace()->sample();
#endif
    i->context.timeInc(i->half_period);
}

bool stopped(void *dut)
{
    return self(dut)->context.gotFinish();
}

bool trace(void *dut, const char *path)
{
#ifdef WR_TRACE
    Instance *i = self(dut);
    Verilated::threadContextp(&i->context);
    i->wave.reset(new VerilatedFstC);
    i->dut->trace(i->wave.get(), 99);
    i->wave->open(path);
    if (!i->wave->isOpen())
        i->wave.reset();
    return i->wave != nullptr;
#else
    (void)dut;
    (void)path;
    return false;
#endif
}

#ifdef WR_COVERAGE
// Verilator keeps the counters of lines of all instances in one array, if there are any.
template <typename Syms>
auto lines_of(Syms &syms, uint32_t **counts, int) -> decltype((void)syms.__Vcoverage, 0u)
{
    static_assert(sizeof(syms.__Vcoverage[0]) == sizeof(uint32_t), "atomics without a lock");
    *counts = reinterpret_cast<uint32_t *>(&syms.__Vcoverage[0]);
    return sizeof(syms.__Vcoverage) / sizeof(syms.__Vcoverage[0]);
}
template <typename Syms> unsigned lines_of(Syms &, uint32_t **counts, long)
{
    *counts = nullptr;
    return 0;
}

uint32_t points(void *dut, wr_rtl_points of, uint32_t **counts)
{
    Instance *i = self(dut);
    std::vector<uint32_t> &toggles = i->toggles.spTrace()->counts();

    if (of == WR_POINTS_LINES)
        return lines_of(*i->dut->rootp->vlSymsp, counts, 0);
    *counts = toggles.data();
    return static_cast<uint32_t>(toggles.size());
}

void settled(void *dut)
{
    std::vector<uint32_t> &toggles = self(dut)->toggles.spTrace()->counts();

    std::fill(toggles.begin(), toggles.end(), 0);
}

void write_coverage(void *dut, const char *path)
{
    self(dut)->context.coveragep()->write(path);
}
#endif

#ifdef WR_LOCKSTEP
constexpr bool kChecker = true;
#else
constexpr bool kChecker = false;
#endif

} // namespace

extern "C" __attribute__((visibility("default"))) const wr_rtl_ops *wr_rtl_get_ops(void)
{
    static const wr_rtl_ops ops = {
        WR_RTL_ABI, WR_IN_BITS, WR_OUT_BITS, kChecker, WR_TEXT(WR_ABSENT),
        create,     destroy,    set,         put,      eval,
        get,        stopped,    trace,       finish};
    return &ops;
}

#ifdef WR_COVERAGE
extern "C" __attribute__((visibility("default"))) const wr_rtl_coverage *wr_rtl_get_coverage(void)
{
    static const wr_rtl_coverage coverage = {points, settled, write_coverage};
    return &coverage;
}
#endif

#ifdef WR_LOCKSTEP
// DPI imports of dpi/wr_checker.sv: the hook of the instance that runs. What the C side finds stays
// there.
void *wr_dpi_open(const char *, const svBitVecVal *, unsigned, unsigned, const svBitVecVal *)
{
    return const_cast<wr_checker_hook *>(running->hook);
}

void wr_dpi_reset(void *checker)
{
    const wr_checker_hook *h = static_cast<const wr_checker_hook *>(checker);
    h->reset(h->ctx);
}

int wr_dpi_cycle(void *checker, const svBitVecVal *in, const svBitVecVal *out,
                 const svBitVecVal *state, svBit)
{
    const wr_checker_hook *h = static_cast<const wr_checker_hook *>(checker);
    h->cycle(h->ctx, in, out, state);
    return 0;
}

const char *wr_dpi_text(void *)
{
    return "";
}

int wr_dpi_end(void *)
{
    return 0;
}
#endif

// What RTL calls by $finish, $stop and $fatal: tell the loader, which asks `stopped`.
static void stop(const char *what, const char *file, int line)
{
    char text[512];

    if (!Verilated::threadContextp()->gotFinish()) {
        if (file != nullptr)
            std::snprintf(text, sizeof(text), "%s:%d: %s", file, line, what);
        else
            std::snprintf(text, sizeof(text), "%s", what);
        running->hook->ended(running->hook->ended_ctx, text);
    }
    Verilated::threadContextp()->gotFinish(true);
}

void vl_finish(const char *file, int line, const char *)
{
    stop("$finish", file, line);
}
void vl_stop(const char *file, int line, const char *)
{
    stop("$stop, or an assertion failed", file, line);
}
// The runtime does not go on behind it: RTL that does not settle would be tried for ever.
void vl_fatal(const char *file, int line, const char *, const char *msg)
{
    if (std::strstr(msg, "did not converge") != nullptr) { // a line of the top, which tells nothing
        stop("its combinational logic does not settle: a loop in it", nullptr, 0);
    } else {
        stop(msg, file, line);
    }
    throw Ended();
}
