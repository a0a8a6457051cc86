// a list
# another comment
+incdir+inc+../inc +define+A+B=1   // behind
	-y inc  +libext+.sv+.svh
a.sv "a.sv" -v dpi.c
-I${TMPDIR} -D C=2
-top mine dpi.c
