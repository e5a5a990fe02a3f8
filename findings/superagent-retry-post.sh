#!/usr/bin/env bash
# superagent 10.4.2: `.retry(2)` repeats a POST within milliseconds, and ignores Retry-After.
#
# Expected: a POST is not repeated unless asked for by method (RFC 9110 section 9.2.2), and a 503 or 429 with `Retry-After: 2` is repeated
# after 2 s, as ky does.
# Seen: three POST requests, without a pause.
# Why it matters: a rate limit or an overloaded API receives three times the requests, and a POST without an idempotency key may run twice.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts superagent@10.4.2 ky@1.14.3

cat >run.mjs <<'PROGRAM'
import { once } from 'node:events'
import { createServer } from 'node:http'
import ky from 'ky'
import superagent from 'superagent'

const times = new Map()
const server = createServer((request, response) => {
  times.set(request.url, [...(times.get(request.url) ?? []), performance.now()])
  request.resume().on('end', () => response.writeHead(503, { 'retry-after': '2' }).end())
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://127.0.0.1:${server.address().port}`
await superagent.post(`${base}/superagent`).send({ a: 1 }).retry(2).catch(() => {})
await ky.get(`${base}/ky`, { retry: 1 }).catch(() => {})
for (const [path, [first, second, ...others]] of times) {
  const pause = second - first < 1000 ? 'without a pause' : 'after Retry-After'
  console.log(`${path}: ${2 + others.length} requests, repeated ${pause}`)
}
server.close()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
/superagent: 3 requests, repeated without a pause
/ky: 2 requests, repeated after Retry-After
EXPECTED
