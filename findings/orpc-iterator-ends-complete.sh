#!/usr/bin/env bash
# @orpc/server and @orpc/client 1.16.1: an event iterator that the server ends early is complete for the client.
#
# Expected: the loop of the client throws. A complete iterator sends the event `done` last, so its absence shows that values are missing.
# Seen: if the response ends cleanly without this event, as when a server shuts down, `for await` ends without an error, as after `done`.
# Why it matters: a client that stores all values of a stream cannot tell that a deployment has cut it short.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @orpc/server@1.16.1 @orpc/client@1.16.1

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import { os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/node'

let wait = () => {}
const waiting = new Promise((resolve) => (wait = resolve))
const handler = new RPCHandler({
  whole: os.handler(async function* () {
    yield 1
    yield 2
  }),
  endless: os.handler(async function* () {
    yield 1
    wait()
    await new Promise(() => {})
  }),
})
const bodies = []
const responses = new Set()
const server = createServer((request, response) => {
  responses.add(response)
  const { write } = response
  let body = ''
  response.write = (chunk, ...rest) => {
    body += Buffer.from(chunk).toString()
    return write.call(response, chunk, ...rest)
  }
  response.on('close', () => bodies.push(body))
  void handler.handle(request, response)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const client = createORPCClient(new RPCLink({ url: `http://127.0.0.1:${server.address().port}` }))

async function read(iterator) {
  const values = []
  try {
    for await (const value of iterator) values.push(value)
    return `${values}, then the end`
  } catch (error) {
    return `${values}, then ${error.name}`
  }
}

const whole = await read(await client.whole())
const endless = client.endless().then(read)
await waiting
await new Promise((resolve) => setTimeout(resolve, 200))
for (const response of responses) response.end()
const seen = { whole, endless: await endless, done: bodies.map((body) => body.includes('event: done')) }
console.log(JSON.stringify(seen, null, 2))
const expected = { whole: '1,2, then the end', endless: '1, then the end', done: [true, false] }
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1)
PROGRAM

node run.mjs
