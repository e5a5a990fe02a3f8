#!/usr/bin/env bash
# tsx 4.23.15: a compiled module with an `import()` loses its source map.
#
# Expected: a stack names the TypeScript source of a compiled module with an inline source map, with tsx as without it.
# Seen: tsx rewrites each JavaScript module that contains `import()`, and gives it a source map that ends at the compiled file. Its frames name
# the compiled file; a module without `import()` beside it names its source.
# Why it matters: errors and coverage of a compiled package, such as a framework that a test loads with tsx, name lines that nobody wrote.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts tsx@4.23.15 esbuild@0.28.2

mkdir src dist
cat >src/plain.ts <<'PROGRAM'
interface Shown {
  readonly place: string
}

export function place(): Shown {
  return { place: String(new Error('here').stack).split('\n')[1]?.replace(/.*\/(?=\w+\/\w+\.)/, '') ?? '' }
}
PROGRAM
{
  cat src/plain.ts
  echo 'export const load = () => import("./plain.js")'
} >src/loading.ts
npx esbuild src/*.ts --outdir=dist --format=esm --sourcemap=inline --log-level=error
echo '{ "type": "module" }' >package.json
cat >run.mjs <<'PROGRAM'
for (const name of ['plain', 'loading']) console.log(name, (await import(`./dist/${name}.js`)).place().place)
PROGRAM

{
  node --enable-source-maps run.mjs
  node --enable-source-maps --import tsx run.mjs
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
plain src/plain.ts:6:26)
loading src/loading.ts:6:26)
plain src/plain.ts:6:26)
loading dist/loading.js:2:26)
EXPECTED
