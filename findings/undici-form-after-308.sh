#!/usr/bin/env bash
# undici 7.30.2 (and `fetch` of Node 20 to 24): after a 308, a FormData body has a new boundary, but the old Content-Type.
#
# Expected: a 307 or 308 repeats the request with the same body (RFC 9110 section 15.4.9), so the boundary in Content-Type occurs in it.
# Seen: the second body has another boundary than its Content-Type names.
# Why it matters: an API that redirects /files/ to /files with a 308 gets forms that no parser can read.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts undici@7.30.2

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { fetch, FormData } from 'undici'

const server = createServer(async (request, response) => {
  const body = await text(request)
  const [, boundary] = /boundary=(.*)$/.exec(request.headers['content-type'])
  console.log(`${request.method} ${request.url}: the body ${body.startsWith(`--${boundary}`) ? 'has' : 'does not have'} the boundary of its Content-Type`)
  response.writeHead(...(request.url === '/files/' ? [308, { location: '/files' }] : [200])).end()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const body = new FormData()
body.set('title', 'tea')
await fetch(`http://127.0.0.1:${server.address().port}/files/`, { method: 'POST', body })
server.close()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
POST /files/: the body has the boundary of its Content-Type
POST /files: the body does not have the boundary of its Content-Type
EXPECTED
