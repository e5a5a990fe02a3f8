#!/usr/bin/env bash
# ioredis 6.0.0: with `autoResendUnfulfilledCommands: false`, a command whose connection is lost never settles.
#
# Expected: the promise rejects, because the client does not send the command again ("If true, client will resend unfulfilled commands").
# Seen: the client connects again and executes the next command, but the promise of the lost command stays pending, also after
# `disconnect()`. With the default `true`, the command is sent again, so a command that Redis has executed runs twice.
# Why it matters: an API that counts requests in Redis must choose between counting a request twice and a request that waits forever. It
# needs a timeout of its own around each command.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts ioredis@6.0.0

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'

let received = 0
// Responds with null to each command, and closes the connection at the first "GET lost".
const server = createServer((socket) => {
  socket.on('error', () => {}).on('data', (chunk) => {
    const text = String(chunk)
    if (text.includes('\r\nlost\r\n') && ++received === 1) return socket.destroy()
    for (const _ of text.matchAll(/^\*\d+\r\n/gm)) socket.write('$-1\r\n')
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const within = (ms, promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms, 'pending'))])

for (const autoResendUnfulfilledCommands of [true, false]) {
  received = 0
  const options = { autoResendUnfulfilledCommands, maxRetriesPerRequest: 1, enableReadyCheck: false, retryStrategy: () => 20 }
  const client = new Redis(server.address().port, '127.0.0.1', options).on('error', () => {})
  await once(client, 'ready')
  const isBack = once(client, 'ready')
  const lost = client.get('lost').then(() => 'resolved', () => 'rejected')
  await isBack
  const next = await client.get('next').then(() => 'resolved')
  const settled = await within(3_000, lost)
  client.disconnect()
  console.log(`${autoResendUnfulfilledCommands}: next ${next}; lost ${settled}, received ${received} times; after disconnect() ${await within(1_000, lost)}`)
}
server.close()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
true: next resolved; lost resolved, received 2 times; after disconnect() resolved
false: next resolved; lost pending, received 1 times; after disconnect() pending
EXPECTED
