/** With every library, responses contain only declared properties. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSent, type Vendor } from '#test/hostile-values.js'
import { describe as describeTypeBox } from '../typebox.js'
import { decodersJs, effect, joi, sury, typeBox, vineJs, yupStripped, zod3 } from '../vendors.js'

const RUNS = 200

const VENDORS: readonly (readonly [name: string, build: Vendor, options?: object])[] = [
  ['TypeBox without a converter', typeBox],
  ['TypeBox with a converter', typeBox, { jsonSchema: { typebox: describeTypeBox } }],
  ['zod 3', zod3],
  ['yup', yupStripped],
  ['VineJS', vineJs],
  ['decoders', decodersJs],
  ['Effect', effect],
  ['joi', joi],
  ['Sury', sury],
]

describe('returns: unknown members', () => {
  for (const [name, build, options] of VENDORS) {
    for (const validateResponses of [true, false]) {
      it(`never sends unknown members of ${name} with validateResponses: ${validateResponses}`, async () => {
        const sent = await countSent(build, { ...options, validateResponses }, { runs: RUNS })
        assert.ok(sent > RUNS / 20, `Only ${sent} of ${RUNS} values were sent`)
      })
    }
  }
})
