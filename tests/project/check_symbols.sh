#!/bin/sh
# The shared library exports what the public headers declare: all of it, and nothing else.
# check_symbols.sh COMPILER INCLUDE_DIR LIBRARY
set -eu
compiler=$1 include=$2 library=$3
LC_ALL=C
export LC_ALL

declared=$(echo '#include <stickslip/stickslip.h>' | "$compiler" -std=c17 -E -P -I"$include" - |
    tr '\n' ' ' | grep -oE 'visibility\("default"\)\)\)[^;]*;' |
    grep -oE 'ss_[A-Za-z0-9_]+ *\([^*]' | sed 's/ *(.*//' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u)

[ "$(echo "$declared" | wc -l)" -gt 50 ] || { echo "the headers were not understood" >&2; exit 1; }
if [ "$declared" != "$exported" ]; then
    echo "declared but not exported (<), exported but not declared (>):" >&2
    { echo "$declared" | sed 's/$/ </'; echo "$exported" | sed 's/$/ >/'; } | sort |
        awk '{ seen[$1] = seen[$1] $2 } END { for (n in seen) if (seen[n] != "<>") print seen[n], n }' >&2
    exit 1
fi
echo "$(echo "$declared" | wc -l) symbols"
