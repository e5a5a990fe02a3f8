#!/usr/bin/env bash
# valibot 1.5.0, arktype 2.2.9: a record accepts an array, which the JSON Schema of the same library rejects.
#
# Expected: validator and JSON Schema (`"type": "object"`) agree that `[]` and `[1]` are no records of numbers, as with zod 4.6.7.
# Seen: valibot and arktype accept both, valibot's object without required members accepts them too. Their JSON Schemas do not.
# Why it matters: an API stores a list where its document, and every client that is generated from it, promise an object.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts \
  valibot@1.5.0 @valibot/to-json-schema@1.8.0 arktype@2.2.9 zod@4.6.7 ajv@8.20.0

cat >run.mjs <<'PROGRAM'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

const ofValibot = v.record(v.string(), v.number())
const ofArktype = type({ '[string]': 'number' })
const ofZod = z.record(z.string(), z.number())
const vObject = v.object({ a: v.optional(v.string()) })
const rows = [
  ['valibot record', ofValibot, toJsonSchema(ofValibot, { target: 'draft-2020-12' })],
  ['valibot object', vObject, toJsonSchema(vObject, { target: 'draft-2020-12' })],
  ['arktype record', ofArktype, ofArktype.toJsonSchema()],
  ['zod record', ofZod, z.toJSONSchema(ofZod)],
]
for (const [name, schema, document] of rows) {
  const matches = new Ajv2020().compile(document)
  for (const value of [{}, [], [1]]) {
    const { issues } = await schema['~standard'].validate(value)
    const [byValidator, byDocument] = [issues === undefined, matches(value)].map((yes) => (yes ? 'accepts' : 'rejects'))
    console.log(`${name}, ${JSON.stringify(value)}: validator ${byValidator}, JSON Schema ${byDocument}`)
  }
}
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
valibot record, {}: validator accepts, JSON Schema accepts
valibot record, []: validator accepts, JSON Schema rejects
valibot record, [1]: validator accepts, JSON Schema rejects
valibot object, {}: validator accepts, JSON Schema accepts
valibot object, []: validator accepts, JSON Schema rejects
valibot object, [1]: validator accepts, JSON Schema rejects
arktype record, {}: validator accepts, JSON Schema accepts
arktype record, []: validator accepts, JSON Schema rejects
arktype record, [1]: validator accepts, JSON Schema rejects
zod record, {}: validator accepts, JSON Schema accepts
zod record, []: validator rejects, JSON Schema rejects
zod record, [1]: validator rejects, JSON Schema rejects
EXPECTED
