a.sv
-f list
