#!/usr/bin/env bash
# superagent 10.4.2: a redirect of QUERY with 301 or 302 is followed with a GET, without the body. got 14.6.6 repeats the QUERY.
#
# Expected: the same method and body. Only a redirected POST may become a GET (RFC 9110 section 15.4.2, Fetch standard section 4.4), and
# QUERY says so itself (RFC 10008 section 2.5).
# Seen: superagent sends GET without a body; got sends QUERY with its body.
# Why it matters: a path that also has a GET responds with 200, and the client takes its unfiltered result for the result of its query.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts superagent@10.4.2 got@14.6.6

cat >run.mjs <<'PROGRAM'
import { createServer } from 'node:http'
import got from 'got'
import superagent from 'superagent'

const server = createServer((request, response) => {
  const status = Number(request.url.slice(1))
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    if (status === 0) response.end(`${request.method} ${body || 'without a body'}`)
    else response.writeHead(status, { location: '/0' }).end()
  })
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`
const body = '{"name":"ada"}'
const headers = { 'content-type': 'application/json' }
for (const status of [301, 302, 308]) {
  const found = await superagent('QUERY', `${url}/${status}`).set(headers).send(body).buffer(true).parse(superagent.parse.text)
  console.log(`superagent ${status} ${found.text}`)
  console.log(`got ${status} ${(await got(`${url}/${status}`, { method: 'QUERY', headers, body })).body}`)
}
server.close()
PROGRAM
node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
superagent 301 GET without a body
got 301 QUERY {"name":"ada"}
superagent 302 GET without a body
got 302 QUERY {"name":"ada"}
superagent 308 QUERY {"name":"ada"}
got 308 QUERY {"name":"ada"}
EXPECTED
