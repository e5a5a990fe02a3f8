#!/usr/bin/env bash
# effect 4.1.0: the JSON Schema and the validator of one Standard Schema accept different values.
#
# Expected: `~standard.jsonSchema.input` describes what `~standard.validate` accepts (Standard JSON Schema: "the input type").
# Seen: the JSON Schema describes the JSON codec (strings for Date and BigInt, null for an optional member), the validator the decoded
# values. A value that the JSON Schema describes has three issues. `Schema.toCodecJson` makes both agree.
# Why it matters: an API framework that documents the one and validates with the other rejects each request that follows its document.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts effect@4.1.0

cat >run.mjs <<'PROGRAM'
import { Schema } from 'effect'

const Slot = Schema.Struct({ at: Schema.Date, seats: Schema.BigInt, note: Schema.optional(Schema.String) })
const described = { at: '2026-01-01T00:00:00.000Z', seats: '1', note: null }
for (const [name, schema] of [['as written', Slot], ['toCodecJson', Schema.toCodecJson(Slot)]]) {
  const { properties } = Schema.toStandardJSONSchemaV1(schema)['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  const { issues = [] } = await Schema.toStandardSchemaV1(schema)['~standard'].validate(described)
  console.log(`${name}: at is a ${properties.at.type}, seats a ${properties.seats.type}; ${issues.length === 0 ? 'accepted' : issues.map(({ message }) => message).join(', ')}`)
}
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
as written: at is a string, seats a string; Expected a valid Date, Expected bigint, Expected string | undefined
toCodecJson: at is a string, seats a string; accepted
EXPECTED
