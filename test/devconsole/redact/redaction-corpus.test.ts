/** One secret in every place and form: the console neither stores nor sends it. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createApp, Route, type App, type Logger } from 'verbena'
import * as z from 'zod'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import type { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { takeSnapshot } from '#src/devconsole/serve/api.js'
import { toSendable, toCurl, toFetch, toHttp } from '../../../console/page/pure/messages.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { RecordedRequest } from '#src/observe/request-recorder.js'
import { actionToken, post, read, waitForSnapshot } from '#test/console.js'
import { createHost } from '#test/console-host.js'
import { okResponse, QUIET } from '#test/console-trails.js'
import { quietStdout } from '#test/quiet-stdout.js'

const SECRET = 'correct-horse-battery'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl'
const PEM = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`

/** Values that contain the secret under a revealing name, or in a revealing form. */
const VALUES: Readonly<Record<string, unknown>> = {
  nested: { a: { b: [{ c: { Password: SECRET } }] } },
  array: [[{ 'api-key': SECRET }], { SESSION_ID: [SECRET, SECRET] }],
  object: { token: { deep: { value: SECRET } } },
  'in JSON as text': JSON.stringify({ client_secret: SECRET, list: [{ pin: 123_456, otp: SECRET }] }),
  'in JSON as text, twice': JSON.stringify(JSON.stringify({ passphrase: SECRET })),
  'in an inspected object': `{ user: 'ann', refreshToken: '${SECRET}' }`,
  'in a query': `https://host/path?a=1&access_token=${SECRET}&b=2`,
  'in a form': `user=ann&password=${SECRET}`,
  'in XML': `<login><user>ann</user><password>${SECRET}</password></login>`,
  'user of a URL': `postgres://ann:${SECRET}@host/db`,
  bearer: `Bearer ${SECRET}`,
  token: JWT,
  key: PEM,
}

const EVERYTHING = Object.entries(VALUES)
const assertHidden = (place: string, value: unknown): void => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  for (const secret of [SECRET, JWT, JWT.split('.')[1] ?? '']) {
    const at = text.indexOf(secret)
    assert.equal(at, -1, `${place}: ${text.slice(Math.max(0, at - 120), at + 40)}`)
  }
}

/** Everything that a console holds. */
function heldBy({ store, logs, incidents, callsInWork, scope }: ReturnType<typeof makeParts>): unknown {
  return [store.all, logs.items, incidents.list(Date.now()), callsInWork.longerThan(-1), Object.values(scope.hider)]
}

type Parts = ReturnType<typeof makeParts>

function answered(
  parts: Parts,
  fill: (trail: RecordedTrail) => void,
  facts: Partial<RecordedRequest> = {},
): RequestRecord {
  // Proof: `begin` returns a `RecordedTrail` for recorded paths.
  const trail = parts.recorder.begin({ method: 'POST', url: '/books/1' }, performance.now()) as RecordedTrail
  trail.named(`id ${trail.id}`)
  fill(trail)
  trail.end({ ...QUIET, response: okResponse(500, 'no'), ...facts })
  const record = parts.store.find(trail.id)?.record
  assert.ok(record !== undefined)
  return record
}

function bodyOf(value: unknown, type: string): { text: string; headers: Record<string, string> } {
  return { text: typeof value === 'string' ? value : JSON.stringify(value), headers: { 'content-type': type } }
}

describe('console: secrets in the store', () => {
  for (const [name, value] of EVERYTHING) {
    it(`does not store the secret in ${name}`, () => {
      const parts = makeParts(createHost())
      const whole = typeof value === 'string' ? value : JSON.stringify(value)
      for (const type of ['application/json', 'text/plain', 'application/xml', 'application/yaml', 'multipart/mixed']) {
        const { text, headers } = bodyOf(type === 'application/json' ? JSON.stringify({ value }) : value, type)
        const bytes = Buffer.from(text)
        // A field is one line.
        const location = whole.replaceAll('\n', ' ')
        const response = { status: 200, headers: new Map([['location', location]]), payload: { type, data: text } }
        answered(parts, () => {}, { headers, body: bytes, response })
      }
      const record = answered(
        parts,
        (trail) => {
          trail.called('db.save', [value, [value]])?.end(new Error(whole))
          const fields = { value, requestId: trail.requestId }
          parts.recorder.line({ level: 'info', fields, message: whole })
        },
        {
          error: new TypeError(whole, { cause: new AggregateError([new Error(whole)], whole) }),
          headers: { referer: whole, 'user-agent': whole, 'x-note': whole, 'x-dev-token': SECRET },
          query: `q=${encodeURIComponent(whole)}&user[password]=${SECRET}`,
          params: { value: whole, token: SECRET },
          version: { requested: whole, constraint: undefined, alternatives: ['>=1'] },
        },
      )
      assertHidden('store', heldBy(parts))
      assertHidden('snapshot', takeSnapshot(parts))
      for (const write of [toCurl, toFetch]) assertHidden(write.name, write(toSendable(record, 'http://localhost')))
      assertHidden('HTTP message', toHttp(record, 'No'))
      assert.equal(parts.store.all.length, 6)
    })
  }

  it('stores no part of a secret, wherever a string is cut', () => {
    for (const before of [250, 290, 299, 2_030, 2_047, 4_080, 16_370, 16_383]) {
      const parts = makeParts(createHost())
      const text = `${'word '.repeat(before / 5)}postgres://ann:${SECRET.repeat(10)}@host/`
      answered(
        parts,
        (trail) => {
          trail.called('db.save', [])?.end(new Error(text))
          parts.recorder.line({ level: 'info', fields: { text }, message: text })
        },
        {
          error: new Error(text),
          body: Buffer.from(text),
          headers: { 'content-type': 'text/plain', 'x-note': text, 'user-agent': text },
        },
      )
      const held = JSON.stringify(heldBy(parts))
      assert.ok(!held.includes(SECRET.slice(0, 6)), String(before))
    }
  })

  it('does not store JSON that is too long to be redacted', () => {
    const parts = makeParts(createHost())
    const text = JSON.stringify({ filler: 'x'.repeat(20_000), password: SECRET })
    const record = answered(parts, () => {}, {
      body: Buffer.from(text),
      headers: { 'content-type': 'application/json' },
    })
    assert.deepEqual([record.request.body?.text, record.request.body?.size], [null, text.length])
    assertHidden('store', heldBy(parts))
  })
})

class Vaults extends Route<{ vault: { put(...args: unknown[]): unknown } }> {
  static readonly post = this.contract({ body: z.looseObject({ size: z.number().optional() }) })
  async post({ body, log }: { body: object; log: Logger }) {
    log.info({ body }, `kept ${JSON.stringify(body)}`)
    console.log('kept', body, JSON.stringify(body))
    this.vault.put(body, JSON.stringify(body))
    throw new RangeError(`No room for ${JSON.stringify(body)}`)
  }
}

describe('console: secrets in responses', () => {
  let app: App
  let url: string
  before(async () => {
    const vault = { put: () => true }
    const options = {
      routes: { Vaults },
      services: { vault },
      logger: false,
      devConsole: { captureConsole: true },
    } as const
    app = createApp(options)
    ;({ url } = await app.listen())
  })
  after(() => app.close())

  it('sends no secret in the feed, archives, pages or API responses', async (test) => {
    quietStdout(test)
    const base = `${url}/__dev__`
    const leaving = new AbortController()
    const feed = await fetch(`${base}/events`, { signal: leaving.signal })
    const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader()
    let bytes = ''
    const until = async (wanted: string): Promise<void> => {
      while (!bytes.includes(wanted)) bytes += (await reader?.read())?.value ?? ''
    }
    await until('"stream":"')
    const stream = /"stream":"([^"]+)"/.exec(bytes)?.[1]
    const token = { 'x-dev-token': await actionToken(url) }
    await post(`${base}/api/settings`, { stream, want: ['log', 'open'] }, token)
    for (const [, value] of EVERYTHING) await post(`${url}/vaults?otp=${SECRET}`, { value, password: SECRET })
    await post(`${url}/vaults`, { size: { password: SECRET } })
    const { requests, ...rest } = await waitForSnapshot(url, EVERYTHING.length + 1)
    await until(`"${requests[0]?.id}"`)
    leaving.abort()
    assert.ok(bytes.includes('event: log') && bytes.includes('event: problem'))
    assertHidden('feed', bytes)
    assertHidden('snapshot', [requests, rest])
    for (const path of [
      '/api/har',
      '/requests',
      '/api/requests?limit=500',
      '/api/metrics',
      '/api/routes',
      '/api/health',
    ]) {
      assertHidden(path, await (await fetch(base + path)).text())
    }
    for (const { id } of requests) {
      assertHidden('page', await (await fetch(`${base}/requests/${id}`)).text())
      const record = await read<RequestRecord>(`${base}/api/requests/${id}`)
      assertHidden('record', record)
      assertHidden('command', toCurl(toSendable(record, url)))
    }
  })
})
