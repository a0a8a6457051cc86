a.sv -y
