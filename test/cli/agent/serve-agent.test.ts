/** The server of `verbena agent` on streams. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveAgent } from '#src/cli/agent/serve-agent.js'
import type { Message } from '#test/agent-client.js'

const INPUT = { args: [], values: {}, rest: [] }
const ping = (id: number): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)

describe('serveAgent()', () => {
  it('reads at most 8 messages before the client has read the responses', async () => {
    let read = 0
    async function* messages(): AsyncGenerator<Buffer> {
      for (; read < 20; read++) yield ping(read)
    }
    const answers: Message[] = []
    const opened = withResolvers()
    const served = serveAgent(INPUT, messages(), async (line) => {
      await opened.promise
      answers.push(JSON.parse(line))
    })
    await sleep(20)
    assert.equal(read, 7)
    opened.resolve()
    await served
    assert.deepEqual(
      answers.map(({ id }) => id),
      Array.from({ length: 20 }, (_, id) => id),
    )
  })

  it('ends a second after its input, even if the client never reads', async () => {
    const begin = performance.now()
    await serveAgent(
      INPUT,
      (async function* () {
        yield ping(1)
      })(),
      () => new Promise(() => {}),
    )
    const took = performance.now() - begin
    assert.ok(took > 900 && took < 5_000, String(took))
  })
})

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve: () => resolve() }
}
