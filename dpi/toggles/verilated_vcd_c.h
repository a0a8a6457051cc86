// SPDX-License-Identifier: Apache-2.0
// Counts how often each bit inside a block changes: it takes the place of Verilator's header of
// this name, which the Verilated code includes to write its signals to a VCD file.
//
// Verilator's own counters of toggles leave out every signal of a generate block, and count the
// instances of a module as one. Its waveforms have them all, each by its path, so the counters
// stand where a waveform would be written. Only what the Verilated code calls is here.
//
// Invariants: a signal has `code`, one word of 32 bits or more; signals that are one net share it,
// and so their counters. Counted is what is inside the block (u_dut), but the checker that is bound
// to it and variables of loops.
#ifndef WR_DPI_TOGGLES_H
#define WR_DPI_TOGGLES_H

#include "verilated.h"
#include "verilated_trace.h"

#include <cstdint>
#include <string>
#include <vector>

class VerilatedVcd final {
  public:
    // Compares values with those of the time before.
    class Buffer final {
      public:
        explicit Buffer(VerilatedVcd &owner) : m_owner{owner} {}
        uint32_t *oldp(uint32_t code)
        {
            return m_owner.m_old.data() + code;
        }
        void chgBit(uint32_t *old, CData value)
        {
            word(old, value);
        }
        void chgCData(uint32_t *old, CData value, int)
        {
            word(old, value);
        }
        void chgSData(uint32_t *old, SData value, int)
        {
            word(old, value);
        }
        void chgIData(uint32_t *old, IData value, int)
        {
            word(old, value);
        }
        void chgQData(uint32_t *old, QData value, int)
        {
            word(old, static_cast<uint32_t>(value));
            word(old + 1, static_cast<uint32_t>(value >> 32));
        }
        void chgWData(uint32_t *old, const WData *value, int bits)
        {
            for (int i = 0; i < (bits + 31) / 32; i++)
                word(old + i, value[i]);
        }
        void chgDouble(uint32_t *, double) {}
        template <typename Event> void chgEvent(uint32_t *, const Event &) {}
        void fullBit(uint32_t *old, CData value)
        {
            *old = value;
        }
        void fullCData(uint32_t *old, CData value, int)
        {
            *old = value;
        }
        void fullSData(uint32_t *old, SData value, int)
        {
            *old = value;
        }
        void fullIData(uint32_t *old, IData value, int)
        {
            *old = value;
        }
        void fullQData(uint32_t *old, QData value, int)
        {
            old[0] = static_cast<uint32_t>(value);
            old[1] = static_cast<uint32_t>(value >> 32);
        }
        void fullWData(uint32_t *old, const WData *value, int bits)
        {
            for (int i = 0; i < (bits + 31) / 32; i++)
                old[i] = value[i];
        }
        void fullDouble(uint32_t *, double) {}
        template <typename Event> void fullEvent(uint32_t *, const Event &) {}

      private:
        VerilatedVcd &m_owner;

        void word(uint32_t *old, uint32_t value)
        {
            if (VL_UNLIKELY(*old != value)) {
                m_owner.count(static_cast<size_t>(old - m_owner.m_old.data()), *old ^ value);
                *old = value;
            }
        }
    };

    struct Signal {
        std::string scope, name; // a.b.c, and d or d[3] or d.member
        uint32_t first;          // place of the counter of its lowest bit
        uint32_t bits;
        bool ranged;
        int lsb, step; // index of that bit, and how it goes on
    };

    // What the Verilated code calls: who declares, compares and forgets.
    using Init = void (*)(void *, VerilatedVcd *, uint32_t);
    using Dump = void (*)(void *, Buffer *);
    using Cleanup = void (*)(void *, VerilatedVcd *);
    void addModel(VerilatedModel *) {}
    void addInitCb(Init cb, void *self)
    {
        cb(self, this, 0);
    }
    void addFullCb(Dump cb, void *self)
    {
        m_full.push_back({cb, self});
    }
    void addChgCb(Dump cb, void *self)
    {
        m_change.push_back({cb, self});
    }
    void addCleanupCb(Cleanup cb, void *self)
    {
        m_cleanup.push_back({cb, self});
    }
    void scopeEscape(char) {}
    void pushNamePrefix(const std::string &prefix)
    {
        m_path.push_back(m_path.back() + prefix);
    }
    void popNamePrefix(unsigned count = 1)
    {
        m_path.resize(m_path.size() - count);
    }
    void declBit(uint32_t code, const char *name, bool array, int index)
    {
        declare(code, name, array, index, false, 0, 0);
    }
    void declBus(uint32_t code, const char *name, bool array, int index, int msb, int lsb)
    {
        declare(code, name, array, index, true, msb, lsb);
    }
    void declQuad(uint32_t code, const char *name, bool array, int index, int msb, int lsb)
    {
        declare(code, name, array, index, true, msb, lsb);
    }
    void declArray(uint32_t code, const char *name, bool array, int index, int msb, int lsb)
    {
        declare(code, name, array, index, true, msb, lsb);
    }
    void declDouble(uint32_t code, const char *, bool, int)
    {
        room(code, 2);
    }
    void declEvent(uint32_t code, const char *, bool, int)
    {
        room(code, 1);
    }

    // Behind each evaluation; the first only takes the values.
    void sample()
    {
        Buffer buffer{*this};

        for (const auto &cb : m_sampled ? m_change : m_full)
            cb.call(cb.self, &buffer);
        for (const auto &cb : m_cleanup)
            cb.call(cb.self, this);
        m_sampled = true;
    }
    std::vector<uint32_t> &counts()
    {
        return m_counts;
    }
    const std::vector<Signal> &signals() const
    {
        return m_signals;
    }

  private:
    template <typename F> struct Callback {
        F call;
        void *self;
    };
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<Callback<Dump>> m_full, m_change;
    std::vector<Callback<Cleanup>> m_cleanup;
    std::vector<std::string> m_path{""};
    std::vector<uint32_t> m_old;   // by code
    std::vector<uint32_t> m_first; // by code: the counter of bit 0 of this word
    std::vector<uint32_t> m_counts;
    std::vector<Signal> m_signals;
    bool m_sampled = false;

    void count(size_t code, uint32_t changed)
    {
        if (m_first[code] == kNone)
            return;
        for (; changed != 0; changed &= changed - 1)
            m_counts[m_first[code] + static_cast<uint32_t>(__builtin_ctz(changed))]++;
    }

    void room(uint32_t code, uint32_t words)
    {
        if (m_old.size() < code + words) {
            m_old.resize(code + words);
            m_first.resize(code + words, kNone);
        }
    }

    void declare(uint32_t code, const char *name, bool array, int index, bool ranged, int msb,
                 int lsb)
    {
        const uint32_t bits = static_cast<uint32_t>(msb > lsb ? msb - lsb : lsb - msb) + 1;
        const uint32_t words = (bits + 31) / 32;
        std::string path = m_path.back() + name + (array ? "[" + std::to_string(index) + "]" : "");

        room(code, words);
        if (!to_scopes(path))
            return;
        if (m_first[code] == kNone) {
            for (uint32_t i = 0; i < words; i++)
                m_first[code + i] = static_cast<uint32_t>(m_counts.size()) + 32 * i;
            m_counts.resize(m_counts.size() + bits);
        }
        const size_t last = path.rfind(' ');
        Signal s{path.substr(0, last), path.substr(last + 1), m_first[code], bits, ranged, lsb,
                 msb < lsb ? -1 : 1};
        for (char &c : s.scope)
            c = c == ' ' ? '.' : c;
        m_signals.push_back(s);
    }

    // Scopes have a blank behind them, structs a mark in front of it, of which members are parts.
    // False: it is not inside the block, or the variable of a loop, which Verilator calls a signal.
    static bool to_scopes(std::string &path)
    {
        static const std::string block = " u_dut ", checker = "u_wr_checker ", loop = " unnamedblk";
        const size_t at = path.find(block);

        for (size_t i = 0; i + 1 < path.size(); i++) {
            if (static_cast<unsigned char>(path[i]) >= 0x80 && path[i + 1] == ' ')
                path.replace(i, 2, ".");
        }
        return at != std::string::npos && path.find(loop, at) == std::string::npos &&
               path.compare(at + block.size(), checker.size(), checker) != 0;
    }
};

class VerilatedVcdC final {
  public:
    bool isOpen() const
    {
        return false;
    }
    VerilatedVcd *spTrace()
    {
        return &m_trace;
    }

  private:
    VerilatedVcd m_trace;
};

#endif
