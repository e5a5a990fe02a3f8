#!/usr/bin/env bash
# oazapfts 7.5.0: a list in a form becomes one value with commas.
#
# Expected: `tag=a&tag=b`. OpenAPI 3.1.1 (section 4.8.15.1) serializes arrays of urlencoded forms with style form and explode by default.
# Seen: `tag=a,b`, one tag named "a,b". The same list in a query is right.
# Why it matters: an API stores one wrong value, and nothing reports an error.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts oazapfts@7.5.0 tsx@4.23.15

cat >api.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": { "title": "Tags", "version": "1.0.0" },
  "paths": {
    "/tags": {
      "get": {
        "operationId": "findTags",
        "parameters": [{ "name": "tag", "in": "query", "schema": { "type": "array", "items": { "type": "string" } } }],
        "responses": { "204": { "description": "None" } }
      },
      "post": {
        "operationId": "addTags",
        "requestBody": {
          "required": true,
          "content": {
            "application/x-www-form-urlencoded": {
              "schema": { "type": "object", "properties": { "tag": { "type": "array", "items": { "type": "string" } } } }
            }
          }
        },
        "responses": { "204": { "description": "None" } }
      }
    }
  }
}
DOCUMENT
npx oazapfts api.json client.ts >/dev/null 2>&1

cat >run.mts <<'PROGRAM'
import { addTags, defaults, findTags } from './client.js'

defaults.baseUrl = 'http://127.0.0.1'
defaults.fetch = async (url, init) => {
  console.log(new URL(String(url)).search || String(init?.body))
  return new Response(null, { status: 204 })
}
await findTags({ tag: ['a', 'b'] })
await addTags({ tag: ['a', 'b'] })
PROGRAM

npx tsx run.mts | tee seen.txt
diff seen.txt - <<'EXPECTED'
?tag=a&tag=b
tag=a,b
EXPECTED
