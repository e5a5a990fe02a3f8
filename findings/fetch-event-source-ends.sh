#!/usr/bin/env bash
# @microsoft/fetch-event-source 2.0.1: it does not reconnect after a stream has ended, and repeats a request that got 204.
#
# Expected: as the EventSource of the HTML standard (section 9.2.3), which reconnects when a stream ends, and stops for good at a 204.
# Seen: the reverse. The end of the stream resolves the promise, and a 204 is requested again each second.
# Why it matters: an API that ends its streams for a deployment loses these clients without an error, and an API that responds with 204
# to stop them gets one request a second from each. `onclose` and `onopen` have to throw to change either.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @microsoft/fetch-event-source@2.0.1

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

// The package is for browsers. These are the parts of the page that it uses.
globalThis.window = Object.assign(new EventTarget(), { setTimeout, clearTimeout, fetch })
globalThis.document = Object.assign(new EventTarget(), { hidden: false })
const { fetchEventSource } = await import('@microsoft/fetch-event-source')

const counts = { '/ends': 0, '/none': 0 }
const server = createServer((request, response) => {
  counts[request.url]++
  if (request.url === '/none') return response.writeHead(204).end()
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: 1\ndata: a\n\n')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const leave = new AbortController()
for (const path of Object.keys(counts)) {
  const options = { signal: leave.signal, openWhenHidden: true }
  const ended = fetchEventSource(`http://127.0.0.1:${server.address().port}${path}`, options).then(() => 'resolved')
  const state = await Promise.race([ended, sleep(4500, 'pending')])
  console.log(`${path}: ${state}, ${counts[path] > 1 ? 'requested again' : 'requested once'}`)
}
leave.abort()
server.close()
server.closeAllConnections()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
/ends: resolved, requested once
/none: pending, requested again
EXPECTED
