#!/bin/sh
# Builds the viewer outside of the source tree: build.sh NPM SOURCE_DIR BUILD_DIR PAGE
# What fails here is told and leaves no page behind, but it does not stop the build of everything else.
set -u
npm=$1 source=$2 build=$3 page=$4

give_up() # WHAT
{
    sed 's/^/    /' "$build/build.log" | tail -n 20 >&2
    echo "viewer: $1; \`stickslip view\` will not work (the log is $build/build.log)" >&2
    rm -f "$page" "$(dirname "$page")/open.html"
    exit 0
}

mkdir -p "$build" "$(dirname "$page")"
cd "$build" || exit 1
rm -rf src
cp -R "$source/src" "$source/index.html" "$source/vite.config.js" "$source/.npmrc" .

# The packages are fetched again only when the list of them has changed.
if ! cmp -s "$source/package-lock.json" installed-lock.json; then
    cp "$source/package.json" "$source/package-lock.json" .
    "$npm" ci --ignore-scripts --no-progress >build.log 2>&1 || give_up "npm could not fetch the packages of the viewer"
    cp package-lock.json installed-lock.json
fi
for kind in open page; do
    PAGE=$kind "$npm" run build >build.log 2>&1 || give_up "Vite could not build the viewer"
    cp dist/index.html "$kind.html"
done
cp open.html "$(dirname "$page")/open.html"
cp page.html "$page"
