#!/bin/sh
# Every relative link in the project's Markdown files leads to a file.   check_links.sh SOURCE_DIR
set -eu
cd "$1"

faults=$(find . -path ./build -prune -o -name '*.md' -print | while read -r page; do
    grep -oE '\]\([^)#: ]+[)#]' "$page" | sed 's/^](//; s/.$//' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link does not exist"
    done
done)
[ -z "$faults" ] || { echo "$faults" >&2; exit 1; }
