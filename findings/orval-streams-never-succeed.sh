#!/usr/bin/env bash
# orval 8.38.0: a response that has only `itemSchema` is not in the types, and the client parses the stream as one JSON value.
#
# Expected: a response of status 200, at least of type `unknown`, as in openapi-typescript 7.13.0. OpenAPI 3.2.0 (section 4.14) describes the
# events of a stream with `itemSchema`; `schema` is optional.
# Seen: the type of the result has only the 400 of the operation, so `status === 200` does not compile, and every call throws a SyntaxError.
# Why it matters: generating and compiling succeed, and the first call of a correct server fails.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts orval@8.38.0 typescript@5.9.3 tsx@4.23.15

cat >api.json <<'DOCUMENT'
{
  "openapi": "3.2.0",
  "info": { "title": "Prices", "version": "1.0.0" },
  "paths": {
    "/prices": {
      "get": {
        "operationId": "watchPrices",
        "responses": {
          "200": {
            "description": "Prices",
            "content": {
              "text/event-stream": {
                "itemSchema": { "type": "object", "properties": { "data": { "type": "string" } }, "required": ["data"] }
              }
            }
          },
          "400": { "description": "Invalid" }
        }
      }
    }
  }
}
DOCUMENT
npx orval --input api.json --output client.ts --client fetch >/dev/null 2>&1

cat >use.ts <<'PROGRAM'
import { watchPrices } from './client'

const headers = { 'content-type': 'text/event-stream' }
globalThis.fetch = async () => new Response('data: 12\n\ndata: 13\n\n', { headers })
watchPrices().then(
  ({ status }) => console.log(status === 200),
  (error) => console.log(error.name),
)
PROGRAM

{
  npx tsc --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler use.ts |
    grep -o 'TS2367.*' || true
  npx tsx use.ts
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
TS2367: This comparison appears to be unintentional because the types '400' and '200' have no overlap.
SyntaxError
EXPECTED
