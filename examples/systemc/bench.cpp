// SPDX-License-Identifier: Apache-2.0
// A bench of the module: fills the register file's 2,048 units with runs of 24, wants the run that
// does not fit refused, gives all back, and takes the whole region at once. Writes bench.vcd.
//
//   bench [model|rtl|lockstep]
#include "onchip_bitmap.h"

#include <cstdio>

using namespace sc_core;

namespace {

constexpr unsigned kUnits = 2048, kRun = 24, kRuns = kUnits / kRun;

SC_MODULE(driver)
{
    sc_in<bool> clk{"clk"}, ready{"ready"}, done{"done"}, found{"found"}, fault{"fault"};
    sc_in<sc_dt::sc_uint<12>> got{"got"};
    sc_out<bool> rst_n{"rst_n"}, valid{"valid"}, op{"op"};
    sc_out<sc_dt::sc_uint<2>> region{"region"};
    sc_out<sc_dt::sc_uint<12>> count{"count"}, addr{"addr"};
    unsigned wrong = 0, requests = 0;

    SC_CTOR(driver)
    {
        SC_THREAD(run);
        sensitive << clk.neg(); // inputs change away from the rising edge
    }

    // One request, up to its answer: whether it was granted, and where.
    bool ask(wr_onchip_bitmap_op what, unsigned units, unsigned &at)
    {
        valid.write(true);
        op.write(what == WR_ONCHIP_BITMAP_FREE);
        count.write(units);
        addr.write(at);
        do {
            wait();
            valid.write(false); // ready was 1: it is taken
        } while (!done.read());
        at = what == WR_ONCHIP_BITMAP_ALLOC ? got.read().to_uint() : at;
        requests++;
        return found.read();
    }

    void want(bool held, const char *what, unsigned at)
    {
        if (!held) {
            std::printf("FAIL %s, unit %u\n", what, at);
            wrong++;
        }
    }

    void run()
    {
        unsigned at = 0;

        rst_n.write(true);
        wait();
        rst_n.write(false);
        wait();
        rst_n.write(true);
        wait();
        for (unsigned i = 0; i < kRuns; i++)
            want(ask(WR_ONCHIP_BITMAP_ALLOC, kRun, at) && at == i * kRun, "a run fits", i * kRun);
        want(!ask(WR_ONCHIP_BITMAP_ALLOC, kRun, at), "no run is left", at);
        for (unsigned i = 0; i < kRuns; i++) {
#ifdef BUG
            at = i < kRuns - 1 ? i * kRun : 0; // the first is given back twice, the last never
#else
            at = i * kRun;
#endif
            want(ask(WR_ONCHIP_BITMAP_FREE, kRun, at), "a run is given back", at);
        }
        want(ask(WR_ONCHIP_BITMAP_ALLOC, kUnits, at) && at == 0, "the region is free again", at);
        want(!fault.read(), "no protocol fault", 0);
        sc_stop();
    }
};

} // namespace

int sc_main(int argc, char **argv)
{
    const wr_onchip_bitmap_cfg cfg = {kUnits, 768, 256, 64};
    wr_backend backend = WR_BACKEND_MODEL;

    if (argc > 2 || (argc == 2 && !wr_backend_parse(argv[1], &backend))) {
        std::fprintf(stderr, "usage: bench [model|rtl|lockstep]\n");
        return 2;
    }
    sc_clock clk("clk", 10, SC_NS);
    sc_signal<bool> rst_n("rst_n"), valid("valid"), op("op"), ready("ready"), done("done"),
        found("found"), fault("fault");
    sc_signal<sc_dt::sc_uint<2>> region("region");
    sc_signal<sc_dt::sc_uint<12>> count("count"), addr("addr"), got("got");
    onchip_bitmap bitmap("bitmap", backend, cfg);
    driver drive("driver");

    bitmap.clk_i(clk), bitmap.rst_ni(rst_n), bitmap.valid_i(valid), bitmap.op_i(op),
        bitmap.region_i(region);
    bitmap.count_i(count), bitmap.addr_i(addr), bitmap.ready_o(ready), bitmap.done_o(done);
    bitmap.found_o(found), bitmap.addr_o(got), bitmap.fault_o(fault);
    drive.clk(clk), drive.rst_n(rst_n), drive.valid(valid), drive.op(op), drive.region(region);
    drive.count(count), drive.addr(addr), drive.ready(ready), drive.done(done), drive.found(found);
    drive.got(got), drive.fault(fault);

    sc_trace_file *wave = sc_create_vcd_trace_file("bench");
    sc_trace(wave, clk, "clk");
    sc_trace(wave, rst_n, "rst_ni");
    sc_trace(wave, valid, "valid_i");
    sc_trace(wave, op, "op_i");
    sc_trace(wave, count, "count_i");
    sc_trace(wave, addr, "addr_i");
    sc_trace(wave, ready, "ready_o");
    sc_trace(wave, done, "done_o");
    sc_trace(wave, found, "found_o");
    sc_trace(wave, got, "addr_o");
    sc_trace(wave, fault, "fault_o");
    sc_start();
    sc_close_vcd_trace_file(wave);
    std::printf("%s: %u requests, %llu comparisons\n",
                drive.wrong == 0 && drive.requests > 0 ? "PASS" : "FAIL", drive.requests,
                static_cast<unsigned long long>(bitmap.comparisons()));
    return drive.wrong == 0 && drive.requests > 0 ? 0 : 1;
}
