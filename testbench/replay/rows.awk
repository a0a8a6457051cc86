# SPDX-License-Identifier: Apache-2.0
# Reads a vector file (docs/vectors.md) for replay.sh: what vectors/read.c refuses is refused here too, with
# the same words. What needs the block is not known here: replay.sh holds names of parameters and bits of
# pins against the RTL.
#
#   file=NAME rows=OUT awk -f rows.awk <FILE
#
# OUT becomes the rows alone. Where a line "// warpref reset" stands between rows, which no vector file of a user has, each
# row gets a digit in front: 1 behind such a line, else 0. Standard output has four lines: "IN_BITS OUT_BITS COUNT Name=value...", the
# block, the configuration, and "cut" where the run that recorded it was stopped, else nothing. Exit status: 0, or 2 with
# "NAME:LINE: what is wrong".
function refuse(what) {
    print ENVIRON["file"] ":" NR ": " what >"/dev/stderr"
    refused = 1
    exit 2
}

function start_rows(    i, pair) {
    for (i = 1; i <= keys; i++) {
        if (!(key[i] in header)) {
            refuse("'// " key[i] "' is missing above the first row")
        }
    }
    split(header["bits"], pair, /in=| out=/)
    in_bits = pair[2] + 0
    out_bits = pair[3] + 0
    count = header["count"] + 0
    digits = int((in_bits + out_bits + 3) / 4)
    highest = 2 ^ (in_bits + out_bits - 4 * (digits - 1)) # of the first digit, and one more
}

function check(name, value,    i, n, word, seen) {
    if (name == "seed" && value !~ /^[0-9]+$/) {
        refuse("seed '" value "' is no number")
    }
    if (name == "count" && (value !~ /^[0-9]+$/ || value + 0 < 1 || value + 0 > 100000000)) {
        refuse("count '" value "': must be 1 to 100000000")
    }
    if (name == "bits" && value !~ /^in=[0-9]+ out=[0-9]+$/) {
        refuse("write '// bits in=N out=M'")
    }
    if (name == "parameters" && !("block" in header)) {
        refuse("'// parameters' must follow '// block'")
    }
    n = name == "parameters" ? split(value, word, / +/) : 0
    for (i = 1; i <= n; i++) {
        if (word[i] !~ /^[A-Za-z_][A-Za-z0-9_]*=[0-9]+$/) {
            refuse("parameter '" word[i] "': write Name=value")
        }
        sub(/=.*/, "", word[i])
        if (word[i] in seen) {
            refuse("parameter '" word[i] "': " header["block"] " is given it twice")
        }
        seen[word[i]] = 1
    }
}

BEGIN {
    keys = split("block config parameters seed bits count", key)
    for (i = 1; i <= keys; i++) {
        known[key[i]] = 1
    }
    printf "" >ENVIRON["rows"]
    resets = ENVIRON["resets"] + 0
}

{ sub(/[ \t\r\f\v]+$/, "") } # also the end of a line of DOS

NR == 1 {
    if ($0 != "// warpref vectors 1") {
        exit # END says it
    }
    good = 1
    next
}

$0 == "" { next }

resets && $0 == "// warpref reset" {
    again = 1
    next
}

/^\/\// {
    text = substr($0, 3)
    sub(/^[ \t]+/, "", text)
    if (text == "cut: the run was stopped before its end") {
        cut = "cut"
    }
    name = substr(text, 1, index(text " ", " ") - 1)
    if (name in known && name != text) {
        if (name in header) {
            refuse("'// " name "' stands twice")
        }
        text = substr(text, length(name) + 1)
        sub(/^[ \t]+/, "", text)
        check(name, text)
        header[name] = text
    }
    next
}

{
    if (rows == 0) {
        start_rows()
    }
    if (rows == count) {
        refuse("more rows than the header's count of " count)
    }
    wrong = ""
    at = match(substr($0, 1, digits), /[^0-9a-fA-F]/)
    if (at != 1 && index("0123456789abcdef", tolower(substr($0, 1, 1))) > highest) {
        wrong = "bits above the highest pin are not 0"
    } else if (at != 0) {
        wrong = substr($0, at, 1) ~ /[xXzZ]/ ? "a digit is x or z: the pin was not driven" : "not a hexadecimal digit"
    } else if (length($0) != digits) {
        wrong = length($0) < digits ? "too few digits" : "too many digits"
    }
    if (wrong != "") {
        refuse(wrong "; a row has " digits " hexadecimal digits")
    }
    print (resets ? again + 0 : "") $0 >ENVIRON["rows"]
    again = 0
    rows++
}

END {
    if (refused) {
        exit 2
    }
    if (!good) {
        refuse("not a vector file: the first line must be '// warpref vectors 1'")
    }
    if (rows == 0) {
        refuse("no rows")
    }
    if (rows != count) {
        refuse(rows " rows where the header's count is " count)
    }
    print in_bits, out_bits, count, header["parameters"]
    print header["block"]
    print header["config"]
    print cut
}
