#!/usr/bin/env bash
# c8 12.0.0, Node.js 20.20.2: an executed line is reported as uncovered if the process has used the debugger later.
#
# Expected: coverage of several processes is a union, so that another process can only add covered lines.
# Seen: two programs call the same function, each another branch of it. Together they cover all of it. If the second one opens and closes a
# debugger session of node:inspector after its call, as a tool that looks up the place of a function does, V8 reports the executed function
# without its blocks. c8 drops such a function if another process has blocks for it, and the branch of the second program is uncovered.
# Why it matters: a limit of 100 % fails for a line that a test executes, and only if both tests run.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts c8@12.0.0

cat >price.mjs <<'PROGRAM'
export function price(isMember) {
  if (isMember) {
    return 1
  }
  const full = 2
  return full
}
PROGRAM
cat >guest.mjs <<'PROGRAM'
import { price } from './price.mjs'
price(false)
PROGRAM
cat >member.mjs <<'PROGRAM'
import { Session } from 'node:inspector'
import { price } from './price.mjs'
price(true)
if (process.argv[2] === 'debugger') {
  const session = new Session()
  session.connect()
  session.post('Debugger.enable')
  session.disconnect()
}
PROGRAM

uncovered() {
  rm -rf coverage
  npx c8 --clean=false --reporter=none node guest.mjs
  npx c8 --clean=false --include=price.mjs --reporter=lcovonly node member.mjs "$1"
  printf '%s: lines %s\n' "$1" "$(grep -oE '^DA:[0-9]+,0' coverage/lcov.info | tr '\n' ' ')"
}

{
  uncovered plain
  uncovered debugger
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
plain: lines 
debugger: lines DA:3,0 DA:4,0 
EXPECTED
