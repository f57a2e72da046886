#!/bin/bash
# Installs into an empty prefix and does what the README and the manual tell a stranger to do: runs the README's scene
# with the installed command, and builds and runs the C programs by find_package and by pkg-config.
# check_install.sh SOURCE_DIR BINARY_DIR SCRATCH_DIR
set -euo pipefail
source=$1 binary=$2 scratch=$3

# The N-th block of a Markdown file that is fenced as LANGUAGE and contains PATTERN.
fenced() # FILE LANGUAGE PATTERN N
{
    awk -v fence="\`\`\`$2" -v pattern="$3" -v wanted="$4" '
        $0 == fence { inside = 1; text = ""; next }
        /^```$/ && inside { inside = 0; if (text ~ pattern && ++found == wanted) printf "%s", text }
        inside { text = text $0 "\n" }' "$source/$1"
}

cached() # VARIABLE
{
    sed -n "s/^$1:[A-Z]*=//p" "$binary/CMakeCache.txt"
}

expect() # WHAT EXPECTED ACTUAL
{
    [ "$2" = "$3" ] || { printf '%s: expected\n  %s\ngot\n  %s\n' "$1" "$2" "$3" >&2; exit 1; }
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
cmake --install "$binary" --prefix "$scratch/prefix" >/dev/null
prefix=$scratch/moved
mv prefix "$prefix" # an installed tree may be moved

fenced README.md yaml systems: 1 >bounce.yaml
fenced README.md c "int main" 1 >bounce.c
fenced docs/c-api.md c "int main" 1 >switches.c
fenced docs/c-api.md c "int main" 2 >inclusion.c

"$prefix/bin/stickslip" run bounce.yaml >run.log
if [ ! -s bounce.h5 ] || [ ! -s bounce/height.svg ]; then
    cat run.log
    exit 1
fi

compiler=$(cached CMAKE_C_COMPILER)
sanitize=$(cached STICKSLIP_SANITIZE)
flags=(-std=c17 -Wall -Wextra -Werror ${sanitize:+-fsanitize=$sanitize})

cmake -S "$source/tests/project/consumer" -B consumer -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DPROGRAM="$scratch/bounce.c" -DCMAKE_C_FLAGS="${flags[*]}" >/dev/null
cmake --build consumer >/dev/null

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name stickslip.pc)")
export PKG_CONFIG_PATH
for program in bounce switches inclusion; do
    # shellcheck disable=SC2046 # flags are words
    "$compiler" "${flags[@]}" $program.c -o $program.out $(pkg-config --cflags --libs stickslip)
done
LD_LIBRARY_PATH=$(pkg-config --variable=libdir stickslip)
export LD_LIBRARY_PATH

for program in consumer/with_shared consumer/with_static ./bounce.out; do
    expect "$program" "0.98 J lost after 2 s" "$($program)"
done
expect "switches" "floor.gap is closed" "$(./switches.out | sed -n '1s/.* s: //p')"
expect "inclusion" "P = (1, 0), converged" "$(./inclusion.out)"
expect "version" "stickslip $(pkg-config --modversion stickslip)" "$("$prefix/bin/stickslip" --version)"
