#!/usr/bin/env bash
# swagger-typescript-api 13.13.0: the generated function has no parameter for a required header.
#
# Expected: a header parameter with `required: true` is a parameter of the function, as in oazapfts 7.5.0.
# Seen: `listOrders(query, params)`. The call compiles without the header.
# Why it matters: an API with versions by header responds with its default version, in another shape than the types of the client say.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts swagger-typescript-api@13.13.0 oazapfts@7.5.0

cat >api.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": { "title": "Orders", "version": "2.0.0" },
  "paths": {
    "/orders": {
      "get": {
        "operationId": "listOrders",
        "parameters": [{ "name": "accept-version", "in": "header", "required": true, "schema": { "type": "string" } }],
        "responses": { "204": { "description": "None" } }
      }
    }
  }
}
DOCUMENT

{
  npx swagger-typescript-api generate --path api.json --output . --name swagger.ts --silent >/dev/null 2>&1
  npx oazapfts api.json oazapfts.ts >/dev/null 2>&1
  for name in swagger oazapfts; do
    echo "$name.ts: $(grep -ciE 'accept-?version' $name.ts || true) lines with the header"
  done
} | tee seen.txt
diff seen.txt - <<'EXPECTED'
swagger.ts: 0 lines with the header
oazapfts.ts: 2 lines with the header
EXPECTED
