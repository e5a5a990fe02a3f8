/**
 * Thousands of randomly mutated requests. The process must survive, every connection must end, all responses must be complete and not
 * 500, and the server must respond afterwards.
 *
 * `MUTATOR_SEED` repeats a run, `MUTATOR_COUNT` makes it longer or shorter; `npm run test:mutations` sends millions.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CORPUS } from '#test/corpus.js'
import { runMutations } from '#test/mutation-run.js'
import { mutate, pick, createRandom } from '#test/mutator.js'
import { namingApp } from '#test/probe.js'
import { assertAlive, formatTitle } from '#test/attack-rows.js'

const SEED = Number(process.env['MUTATOR_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['MUTATOR_COUNT'] ?? 20_000)

describe('mutated requests', () => {
  it(
    formatTitle({
      rule: 'get complete responses or a closed connection, and never a 500',
      source: 'unknown faults',
    }),
    { timeout: 280_000 },
    async (test) => {
      test.diagnostic(`seed ${SEED}, ${COUNT} requests`)
      const faults: unknown[] = []
      const onFault = (error: unknown): void => void faults.push(error)
      process.on('uncaughtException', onFault).on('unhandledRejection', onFault)
      const app = namingApp({ timeouts: { headers: 250, body: 250, keepAlive: 200, write: 1000, close: 2000 } })
      const { port } = await app.listen()
      let statuses: ReadonlyMap<number, number> = new Map()
      try {
        statuses = await runMutations({ place: { port }, seed: SEED, count: COUNT, together: 250 })
        await assertAlive(port)
      } finally {
        await app.close()
        process.off('uncaughtException', onFault).off('unhandledRejection', onFault)
      }
      assert.deepEqual(faults, [])
      test.diagnostic([...statuses].toSorted(([a], [b]) => a - b).join(' '))
      assert.ok((statuses.get(200) ?? 0) > COUNT / 4, 'More than a quarter of the requests should be valid')
    },
  )

  it(formatTitle({ rule: 'are the same for the same seed', source: 'Verbena: faults must be reproducible' }), () => {
    const make = (): string[][] => {
      const random = createRandom(7)
      return Array.from({ length: 50 }, () => mutate(random, CORPUS))
    }
    assert.deepEqual(make(), make())
    assert.equal(pick(createRandom(7), ['a']), 'a')
  })
})
