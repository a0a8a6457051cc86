# fault bound_at_slots: me_controller.* cycle [0-9]+.* (pin bound|bound_q)
s/native \? 8'\(WarpSlots\) : 8'\(Warps\)/8'(WarpSlots)/
# fault reduced_counts_whole: me_controller.* cycle [0-9]+.* (pin (bound|busy)|bound_q|phase_q)
s/reduces \? 13'\(reduced_q\) : //
# fault freezes_without_step_back: me_controller.* cycle [0-9]+.* (pin me|me_q)
s/else if \(safe_q < me_q\)  me_d = safe_q;//
# fault goes_back_once: me_controller.* cycle [0-9]+.* (pin me|me_q)
s/if \(saturated\) begin/if (saturated \&\& !frozen_q) begin/
# fault bypass_without_need: me_controller.* cycle [0-9]+.* pin bypass
s/bypass_d = needs_l1 && unlocked/bypass_d = unlocked/
# fault exact_fill_refused: me_controller.* cycle [0-9]+.* (pin mc|mc_q)
s/fits_regs  = regs_next <=/fits_regs  = regs_next </
# fault allow_at_the_limit: me_controller.* cycle [0-9]+.* pin allow
s/tbs_q < mc_q \+ me_q/tbs_q <= mc_q + me_q/
