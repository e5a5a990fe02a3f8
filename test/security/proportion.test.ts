/** The cost of a request is proportional to its size: hostile inputs for each validator, source and error path. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  assertProportion,
  CARRIERS,
  type Growing,
  IS_LONG,
  logged,
  MAX_RESPONSE_BYTES,
  overflow,
  postTo,
  proportionApp,
  SIZES,
  TEXT_SOURCES,
} from '#test/proportion.js'
import type { PROPORTION_SCHEMAS } from '#test/proportion-schemas.js'
import { BODY_SHAPES, generatedShapes, TEXT_SHAPES, type BodyShape } from '#test/proportion-shapes.js'
import { assertAlive, formatTitle } from '#test/attack-rows.js'
import type { StrictAnswer } from '#test/strict-parser.js'

const JSON_TYPE = 'Content-Type: application/json\r\n'
const SOURCE = 'CWE-400: 100 kB caused a response of 100 MB'

function checkIssues({ status, body }: StrictAnswer): void {
  assert.equal(status, 422, body.toString('utf8', 0, 300))
  const { errors, omitted = 0 } = JSON.parse(body.toString())
  assert.ok(errors.length > 0 && errors.length <= 100)
  assert.ok(Number.isInteger(omitted) && omitted >= 0)
  for (const { pointer } of errors) {
    for (const key of String(pointer).split('/')) {
      const plain = key.replaceAll('~1', '/').replaceAll('~0', '~')
      assert.ok(plain.length <= 256 || (plain.length === 257 && plain.endsWith('…')), `A key of ${plain.length}`)
    }
  }
}

/** Checks the response to a generated value, which may be valid, invalid, or too large for the validator. */
function checkAny({ status, body }: StrictAnswer): void {
  if (status === 500 && overflow.isOfVendor) return
  if (status === 422) checkIssues({ status, body } as StrictAnswer)
  else assert.ok([200, 204].includes(status), body.toString('utf8', 0, 300))
}

/** Sources in which a client controls only lengths: a path has one value, and `limits.headers` limits the number of headers. */
const FEW: ReadonlySet<string> = new Set(['params', 'headers'])

for (const vendor of ['zod', 'valibot', 'arktype'] satisfies (keyof typeof PROPORTION_SCHEMAS)[]) {
  describe(`the cost of a 422 by ${vendor}`, () => {
    const app = proportionApp()
    let port = 0
    before(async () => {
      ;({ port } = await app.listen())
    })
    after(async () => {
      await assertAlive(port)
      await app.close()
    })

    const bodies = ({ schema, valueOf }: BodyShape, target: string): Growing => {
      const texts = SIZES[vendor].map((size) => JSON.stringify(valueOf(size)))
      return {
        refused: texts.map((text) => postTo(`/${vendor}/${schema}/${target}`, JSON_TYPE, text)),
        taken: texts.map((text) => postTo(`/any/${schema}/body`, JSON_TYPE, text)),
      }
    }

    for (const [at, shape] of BODY_SHAPES.entries()) {
      it(formatTitle({ rule: `is proportional to a body: ${shape.name}`, source: SOURCE }), () =>
        assertProportion(port, bodies(shape, 'body'), checkIssues),
      )

      if (at > 2 && !IS_LONG) continue
      it(
        formatTitle({
          rule: `is proportional to a response that violates its contract: ${shape.name}`,
          source: SOURCE,
        }),
        async () => {
          logged.characters = 0
          await assertProportion(port, bodies(shape, 'echo'), ({ status }) => assert.equal(status, 500))
          assert.ok(
            logged.characters > 0 && logged.characters < 3 * MAX_RESPONSE_BYTES,
            `${logged.characters} in the log`,
          )
        },
      )
    }

    for (const source of TEXT_SOURCES) {
      for (const { name, schema, pairsOf } of TEXT_SHAPES.slice(0, FEW.has(source) ? 2 : undefined)) {
        it(formatTitle({ rule: `is proportional to ${source}: ${name}`, source: SOURCE }), () => {
          const sent = (by: string): string[] =>
            SIZES[vendor].map((size) => CARRIERS[source](`/${by}/${schema}/${source}`, pairsOf(size)))
          // Undeclared cookies are dropped, and the first of repeated cookies counts, so these inputs can be valid.
          const isRefused = schema !== 'strict' && name !== 'many keys, each repeated once'
          return assertProportion(
            port,
            { refused: sent(vendor), taken: sent('any') },
            isRefused ? checkIssues : checkAny,
          )
        })
      }
    }

    it(formatTitle({ rule: 'is proportional to generated bodies', source: SOURCE }), async () => {
      for (const shape of generatedShapes(IS_LONG ? 100 : 3, IS_LONG ? Date.now() : 16)) {
        try {
          await assertProportion(port, bodies(shape, 'body'), checkAny)
        } catch (error) {
          throw new Error(`Failed for the body ${shape.name}`, { cause: error })
        }
      }
    })
  })
}
