$(HOME)/a.sv $NONE
