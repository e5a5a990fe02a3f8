#!/usr/bin/env bash
# openapi-zod-client 1.18.3: a pattern with an escaped slash makes a module that no parser accepts.
#
# Expected: `/^\d+\/\d+$/`. JSON Schema patterns are ECMA-262 regular expressions, which may escape a slash; zod itself writes such patterns
# for `z.cidrv4()` and `z.base64()`.
# Seen: the slash is escaped a second time, which ends the regular expression.
# Why it matters: one field of one operation breaks the client of the whole API.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts openapi-zod-client@1.18.3 esbuild@0.28.2

cat >api.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": { "title": "Scores", "version": "1.0.0" },
  "paths": {
    "/scores": {
      "post": {
        "operationId": "addScore",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": { "type": "object", "properties": { "score": { "type": "string", "pattern": "^\\d+\\/\\d+$" } } }
            }
          }
        },
        "responses": { "200": { "description": "Added", "content": { "application/json": { "schema": { "type": "string" } } } } }
      }
    }
  }
}
DOCUMENT

{
  npx openapi-zod-client api.json -o client.ts >/dev/null 2>&1
  grep -o 'regex(.*/)' client.ts
  npx esbuild client.ts --log-level=silent >/dev/null 2>&1 && echo 'The module parses' || echo 'The module does not parse'
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
regex(/^\d+\\/\d+$/)
The module does not parse
EXPECTED
