#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4.0: negotiation starts a server over stdio twice, and the default client does not negotiate.
#
# Expected: connect() starts the command once, and negotiates the newest revision that both sides know.
# Seen: with "versionNegotiation: { mode: 'auto' }", connect() starts the command, asks "server/discover", and starts the command again
# for the session. The process that answered never gets a call. Without this option, the client never asks, and a server that
# knows the newest revision gets an older one.
# Why it matters: a server that opens a database, takes a lock or listens on a port at its start does so twice, and the second start can
# find the lock of the first one. A server must also answer before any other message, and end with its input.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/client@2.4.0

cat >server.mjs <<'PROGRAM'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const log = (text) => appendFileSync(process.env.LOG, `${text}\n`)
log('start')
const results = {
  'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
  'tools/list': { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  log(method)
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })}\n`)
})
PROGRAM

cat >run.mjs <<'PROGRAM'
import { readFileSync, writeFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

for (const [name, options] of [['auto', { versionNegotiation: { mode: 'auto' } }], ['default', {}]]) {
  writeFileSync(name, '')
  const client = new Client({ name: 'test', version: '1' }, options)
  const env = { ...process.env, LOG: name }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'], env }))
  await client.listTools()
  console.log(`${name}, ${client.getNegotiatedProtocolVersion()}: ${readFileSync(name, 'utf8').trim().split('\n').join(', ')}`)
  await client.close()
}
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
auto, 2026-07-28: start, server/discover, start, tools/list
default, 2025-11-25: start, initialize, tools/list
EXPECTED
