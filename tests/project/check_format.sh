#!/bin/sh
# Every source file is as .clang-format wants it: check_format.sh SOURCE_DIR. `make format` puts it right.
set -eu
cd "$1"
if ! command -v clang-format >/dev/null; then
    echo "check_format: clang-format was not found; the format is not checked (Debian: clang-format)"
    exit 77
fi
find include src cli tests examples bench -name '*.[ch]' -exec clang-format --dry-run -Werror {} +
