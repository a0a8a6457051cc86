# SPDX-License-Identifier: Apache-2.0
"""Metrics of the field, from the speed-up of each program: its IPC among others over its IPC alone.

| metric   | of speed-ups s1 ... sn | source                                               |
| -------- | ---------------------- | ---------------------------------------------------- |
| stp      | sum                    | SMK 6.1; Lin-D 4.3.3, there WSpeedup                 |
| antt     | mean of 1 / s          | SMK 6.1: normalised turnaround, the less the better  |
| harmonic | n / sum of 1 / s       | Lin-D 4.3.3, there HSpeedup                          |
| fairness | least / largest        | SMK 6.1: 1 where all are slowed down alike           |

and `gmean`, the n-th root of the product, for means of ratios. All want numbers above 0. `overhead` is cycles with
a mechanism over those without, less 1 (SMK 6.5). IPC (derived.gpu.ipc, files.N.ipc) and preemption latency
(measured.latency.mean, Lin-P V.C) are figures of a run: docs/counters.md, docs/preemption.md.
"""
import math


def held(ratios):
    if not ratios or not all(r > 0 for r in ratios):
        raise ValueError("a mean of ratios wants numbers above 0")
    return ratios


def stp(*s):
    return sum(held(s))


def antt(*s):
    return sum(1 / x for x in held(s)) / len(s)


def harmonic(*s):
    return len(s) / sum(1 / x for x in held(s))


def fairness(*s):
    return min(held(s)) / max(s)


def gmean(*s):
    return math.exp(sum(map(math.log, held(s))) / len(s))


def overhead(with_it, without):
    """Of a mechanism, in cycles with it and without."""
    return with_it / without - 1


FUNCTIONS = {f.__name__: f for f in (stp, antt, harmonic, fairness, gmean, overhead)}
