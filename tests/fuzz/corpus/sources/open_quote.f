"a.sv
