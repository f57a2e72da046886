#!/bin/bash
# Installs into an empty prefix, takes the scene and the C program out of the README, and runs both with the
# installed command and with programs built by find_package and by pkg-config.
# check_install.sh SOURCE_DIR BINARY_DIR SCRATCH_DIR
set -euo pipefail
source=$1 binary=$2 scratch=$3

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

# The first block of README.md fenced as LANGUAGE.
readme_block() # LANGUAGE
{
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```$/ && inside { exit } inside' \
        "$source/README.md"
}

cached() # VARIABLE
{
    sed -n "s/^$1:[A-Z]*=//p" "$binary/CMakeCache.txt"
}

expect() # WHAT EXPECTED ACTUAL
{
    [ "$2" = "$3" ] || { printf '%s: expected\n  %s\ngot\n  %s\n' "$1" "$2" "$3" >&2; exit 1; }
}

cmake --install "$binary" --prefix "$scratch/prefix" >/dev/null
# The tree may be moved after it was installed.
mv prefix moved
prefix=$scratch/moved
readme_block yaml >bounce.yaml
readme_block c >bounce.c

"$prefix/bin/stickslip" run bounce.yaml -o bounce.h5 >/dev/null
[ -s bounce.h5 ]

compiler=$(cached CMAKE_C_COMPILER)
sanitize=$(cached STICKSLIP_SANITIZE)
flags=(-std=c17 -Wall -Wextra -Werror ${sanitize:+-fsanitize=$sanitize})

cmake -S "$source/tests/project/consumer" -B consumer -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DPROGRAM="$scratch/bounce.c" -DCMAKE_C_FLAGS="${flags[*]}" >/dev/null
cmake --build consumer >/dev/null

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[ -d "$PKG_CONFIG_PATH" ] || PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name stickslip.pc)")
libdir=$(pkg-config --variable=libdir stickslip)
# shellcheck disable=SC2046 # flags are words
"$compiler" "${flags[@]}" bounce.c -o by_pkg_config $(pkg-config --cflags --libs stickslip)

expected="at rest: 0 m above the floor"
for program in consumer/with_shared consumer/with_static ./by_pkg_config; do
    expect "$program" "$expected" "$(LD_LIBRARY_PATH=$libdir "$program")"
done
expect "version of the command" "stickslip $(pkg-config --modversion stickslip)" \
    "$("$prefix/bin/stickslip" --version)"
