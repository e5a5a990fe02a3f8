#!/usr/bin/env bash
# sucrase 3.35.1: removes a decorator without arguments, and does not say so.
#
# Expected: a syntax error, or the decorator in the output.
# Seen: with the transform "typescript", `@audit` disappears and the method runs without it. `@audit('x')` becomes code that does not parse.
# Why it matters: logging, timing or validation of an API that a decorator adds is then missing in the running program.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts sucrase@3.35.1

cat >run.mjs <<'PROGRAM'
import { transform } from 'sucrase'

const write = (decorator) => transform(`class Orders { ${decorator} get() { return 1 } }`, { transforms: ['typescript'] }).code
console.log(write('@audit'))
console.log(write("@audit('x')"))
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
class Orders {  get() { return 1 } }
class Orders { audit('x') get() { return 1 } }
EXPECTED
