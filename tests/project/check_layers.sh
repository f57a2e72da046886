#!/bin/sh
# A layer includes only itself and the layers before it; what stands outside src/ includes only public headers.
# check_layers.sh SOURCE_DIR LAYER...
set -eu
cd "$1"
shift

# FILE HEADER for every #include "HEADER" under the folders
includes()
{
    grep -rH --include='*.[ch]' '^#include "' "$@" | sed 's|:#include "| |; s|".*||'
}

check_layers()
{
    below=" "
    for layer in "$@"; do
        below="$below$layer "
        [ -d "src/$layer" ] || continue
        includes "src/$layer" | while read -r file header; do
            case "$below" in
            *" ${header%%/*} "*) ;;
            *) echo "$file: includes \"$header\", which is not in a layer below $layer" ;;
            esac
        done
    done
    for folder in src/*/; do
        case "$below" in
        *" $(basename "$folder") "*) ;;
        *) echo "$folder: not listed in cmake/StickslipLayers.cmake" ;;
        esac
    done
}

check_outside()
{
    includes cli examples bench | while read -r file header; do
        [ ! -e "src/$header" ] || echo "$file: includes \"$header\" of src/; only public headers are allowed"
    done
}

faults=$(check_layers "$@"; check_outside)
[ -z "$faults" ] || { echo "$faults" >&2; exit 1; }
