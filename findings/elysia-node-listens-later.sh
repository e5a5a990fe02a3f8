#!/usr/bin/env bash
# elysia 1.4.30 with @elysiajs/node 1.4.5: the callback of listen() runs before the server listens, and also if the port is in use.
#
# Expected: the callback runs when the port accepts connections, as in node:http, and an error of the port is thrown or emitted.
# Seen: the callback runs during the call of listen(), before the server listens. If the port is in use, it runs as well, no error is
# reported, and the app never serves a request.
# Why it matters: a second copy of an app seems to start, and a ready message or the first request of a test comes too early.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts elysia@1.4.30 @elysiajs/node@1.4.5

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { node } from '@elysiajs/node'
import { Elysia } from 'elysia'

const holder = createServer().listen(0, '127.0.0.1')
await once(holder, 'listening')
const { port } = holder.address()

process.on('uncaughtException', ({ code }) => console.log(`uncaught: ${code}`))
process.on('unhandledRejection', ({ code }) => console.log(`unhandled: ${code}`))

async function listen(when) {
  const app = new Elysia({ adapter: node() }).get('/', () => 'home')
  let isInCall = true
  let server
  app.listen({ port, hostname: '127.0.0.1' }, ({ raw }) => {
    server = raw.node.server
    console.log(`${when}: callback during the call: ${isInCall}, listening: ${server.listening}`)
  })
  isInCall = false
  await sleep(500)
  console.log(`${when}: after 500 ms, listening: ${server.listening}`)
}

await listen('port in use')
holder.close()
await once(holder, 'close')
await listen('port free')
process.exit()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
port in use: callback during the call: true, listening: false
port in use: after 500 ms, listening: false
port free: callback during the call: true, listening: false
port free: after 500 ms, listening: true
EXPECTED
