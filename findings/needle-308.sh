#!/usr/bin/env bash
# needle 3.5.0: follows a 308 of a POST with a GET without a body.
#
# Expected: a 308 does not change the method (RFC 9110 section 15.4.9). Only 301, 302 and 303 may lead to a GET.
# Seen: GET, unless the option `follow_keep_method` is set. The client gets the 200 of another endpoint.
# Why it matters: the redirect of a trailing slash turns "create" into "list" without an error.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts needle@3.5.0

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import needle from 'needle'

const server = createServer(async (request, response) => {
  console.log(`${request.method} ${request.url} ${(await text(request)) || 'without a body'}`)
  response.writeHead(...(request.url === '/orders/' ? [308, { location: '/orders' }] : [200])).end()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}/orders/`
await needle('post', url, { a: 1 }, { json: true, follow_max: 5 })
await needle('post', url, { a: 1 }, { json: true, follow_max: 5, follow_keep_method: true })
server.close()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
POST /orders/ {"a":1}
GET /orders without a body
POST /orders/ {"a":1}
POST /orders {"a":1}
EXPECTED
