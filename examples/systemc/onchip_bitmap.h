// SPDX-License-Identifier: Apache-2.0
// Block onchip_bitmap as a SystemC module: pins as signals, behind them the port of libwarpref,
// which is the C model, its RTL, or both in lockstep.
//
// At a rising edge the pins as they stand are the cycle's inputs: eval, then tick, as dpi/port.h
// asks. The outputs of the new state show a delta cycle later, as those of RTL do. An output that
// follows inputs of the same cycle would show as well, for `settle` runs with each change of an
// input.
#ifndef ONCHIP_BITMAP_H
#define ONCHIP_BITMAP_H

#include <systemc>
#include <warpref.h>

class onchip_bitmap : public sc_core::sc_module {
  public:
    sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"}, valid_i{"valid_i"}, op_i{"op_i"};
    sc_core::sc_in<sc_dt::sc_uint<2>> region_i{"region_i"};
    sc_core::sc_in<sc_dt::sc_uint<12>> count_i{"count_i"}, addr_i{"addr_i"};
    sc_core::sc_out<bool> ready_o{"ready_o"}, done_o{"done_o"}, found_o{"found_o"},
        fault_o{"fault_o"};
    sc_core::sc_out<sc_dt::sc_uint<12>> addr_o{"addr_o"};

    SC_HAS_PROCESS(onchip_bitmap);

    onchip_bitmap(sc_core::sc_module_name name, wr_backend backend, const wr_onchip_bitmap_cfg &cfg)
        : sc_module(name)
    {
        char why[400];

        if (!wr_onchip_bitmap_port_open(&block, backend, &cfg, why, sizeof why)) {
            SC_REPORT_FATAL("onchip_bitmap", why);
        }
        SC_METHOD(edge);
        sensitive << clk_i.pos() << rst_ni.neg();
        dont_initialize();
        SC_METHOD(settle);
        sensitive << changed << valid_i << op_i << region_i << count_i << addr_i;
    }

    ~onchip_bitmap() override
    {
        wr_onchip_bitmap_port_close(&block);
    }

    onchip_bitmap(const onchip_bitmap &) = delete; // the port must not move
    onchip_bitmap &operator=(const onchip_bitmap &) = delete;

    // Pins and registers that lockstep has compared.
    uint64_t comparisons() const
    {
        return wr_port_get_stats(&block.port).comparisons;
    }

  private:
    wr_port_onchip_bitmap block;
    sc_core::sc_event changed;

    wr_onchip_bitmap_in inputs() const
    {
        wr_onchip_bitmap_in in{};

        in.valid = valid_i.read();
        in.op = op_i.read();
        in.region = static_cast<uint8_t>(region_i.read().to_uint());
        in.count = static_cast<uint16_t>(count_i.read().to_uint());
        in.addr = static_cast<uint16_t>(addr_i.read().to_uint());
        return in;
    }

    void edge()
    {
        const wr_onchip_bitmap_in in = inputs();
        wr_onchip_bitmap_out out;
        char why[400];

        if (!rst_ni.read()) {
            wr_onchip_bitmap_port_reset(&block);
        } else {
            wr_onchip_bitmap_port_eval(&block, &in, &out);
            wr_onchip_bitmap_port_tick(&block, &in);
            if (wr_port_failed(&block.port, false, why, sizeof why)) {
                SC_REPORT_FATAL("onchip_bitmap", why);
            }
        }
        changed.notify(sc_core::SC_ZERO_TIME);
    }

    void settle()
    {
        const wr_onchip_bitmap_in in = inputs();
        wr_onchip_bitmap_out out;

        wr_onchip_bitmap_port_eval(&block, &in, &out);
        ready_o.write(out.ready);
        done_o.write(out.done);
        found_o.write(out.found);
        addr_o.write(out.addr);
        fault_o.write(out.fault);
    }
};

#endif
