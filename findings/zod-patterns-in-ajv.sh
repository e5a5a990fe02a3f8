#!/usr/bin/env bash
# zod 4.6.7 with ajv 8.20.0: the JSON Schema of a zod string is refused by ajv, or refuses strings that zod accepts.
#
# Expected: the JSON Schema of a schema accepts the same strings as the schema.
# Seen: `startsWith()` writes the format "starts_with", which no specification has; strict ajv does not compile it. `regex(/…/i)` writes the
# pattern without its flag, so that "ABC" is valid for zod and invalid for the JSON Schema.
# Why it matters: clients and gateways that validate with the OpenAPI document of an API reject valid requests.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 ajv@8.20.0

cat >run.mjs <<'PROGRAM'
import Ajv from 'ajv/dist/2020.js'
import * as z from 'zod'

const ajv = new Ajv.default()
const Tea = z.string().startsWith('tea-')
try {
  ajv.compile(z.toJSONSchema(Tea))
} catch ({ message }) {
  console.log(message)
}
const Code = z.string().regex(/^[a-z]+$/i)
console.log(`zod: ${Code.safeParse('ABC').success}, ajv: ${ajv.compile(z.toJSONSchema(Code))('ABC')}`)
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
unknown format "starts_with" ignored in schema at path "#"
zod: true, ajv: false
EXPECTED
