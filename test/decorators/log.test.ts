import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, HttpError, Route, type Logger } from 'verbena'
import { log } from 'verbena/decorators'
import { logCalls } from '#src/decorators/log.js'
import { Channel } from '#src/telemetry/channel.js'

interface Line {
  readonly level: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string | undefined
}

class Notes extends Route {
  static readonly path = '/notes/{id}'
  @log get() {
    return { fine: true }
  }
  @log({ level: 'debug' }) async put() {
    throw new HttpError(409, 'taken')
  }
  @log async post() {
    throw new Error('broken')
  }
  delete() {}
}

async function linesOf(method: string): Promise<Line[]> {
  const lines: Line[] = []
  const at =
    (level: string) =>
    (fields: object, message?: string): void =>
      void lines.push({ level, fields: { ...fields }, message })
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  await createApp({ routes: { Notes }, logger }).fetch(new Request('http://localhost/notes/7?a=1', { method }))
  return lines
}

describe('@log', () => {
  it('writes one line for a call, with what is known of it', async () => {
    const [line, ...others] = await linesOf('GET')
    const { requestId, duration, ...fields } = line?.fields ?? {}
    assert.deepEqual(others, [])
    assert.deepEqual([line?.level, line?.message], ['info', 'GET /notes/7 200'])
    assert.deepEqual(fields, { route: 'Notes', method: 'GET', template: '/notes/{id}', path: '/notes/7', status: 200 })
    assert.ok(typeof requestId === 'string' && requestId.length > 0)
    assert.ok(typeof duration === 'number' && duration >= 0)
  })

  it('takes a level, and no error for an answer that was meant', async () => {
    const lines = await linesOf('PUT')
    assert.deepEqual(
      lines.map(({ level, fields }) => [level, fields['status'], 'err' in fields]),
      [['debug', 409, false]],
    )
  })

  it('logs a failure as an error, with what was thrown', async () => {
    const line = (await linesOf('POST')).at(-1)
    assert.deepEqual([line?.level, line?.fields['status']], ['error', 500])
    assert.match(String(line?.fields['err']), /broken/)
  })

  it('leaves methods alone that are not decorated', async () => {
    assert.deepEqual(await linesOf('DELETE'), [])
  })
})

describe('logCalls()', () => {
  it('writes nothing for a request that no method answered', () => {
    const channel = new Channel()
    const refuse = (): never => assert.fail('a line was written')
    logCalls(channel, { debug: refuse, info: refuse, warn: refuse, error: refuse })
    channel.emit({
      ...{ requestId: '1', route: undefined, method: 'GET', template: undefined, path: '/', status: 404, duration: 1 },
      ...{ error: undefined, handler: undefined },
    })
  })
})
