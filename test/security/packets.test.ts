/**
 * Pipelines that arrive in pieces. Wherever they are cut, the same handlers run as for a small strict parser.
 *
 * `PACKETS_SEED` repeats a run, `PACKETS_COUNT` makes it longer; `npm run test:packets` does so.
 */
import { after, before, describe, it } from 'node:test'
import { checkAllCuts, checkRandom, packetsApp, PAIRS } from '#test/packets.js'
import { formatTitle } from '#test/attack-rows.js'

const SEED = Number(process.env['PACKETS_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['PACKETS_COUNT'] ?? 1000)

describe('pipelined requests in random packets', () => {
  const app = packetsApp()
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  it(
    formatTitle({ rule: 'runs the same handlers wherever it is cut', source: 'RFC 9112 §2.2, RFC 9293 §3.7' }),
    async () => {
      for (const pipeline of PAIRS) await checkAllCuts(port, pipeline)
    },
  )

  it(
    formatTitle({
      rule: 'runs the same handlers as a reference parser for random pipelines',
      source: 'RFC 9112 §9.3.2',
    }),
    async (test) => {
      test.diagnostic(`${COUNT} pipelines, seed ${SEED}`)
      await checkRandom(port, COUNT, SEED)
    },
  )
})
