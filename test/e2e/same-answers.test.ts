/** A request gets the same response in process and over a socket: status, headers, body. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testApp, type TestApp } from 'verbena/testing'
import { tableApp } from '#test/e2e-app.js'
import { ANSWER_ROWS } from '#test/e2e-answer-rows.js'
import { REQUEST_ROWS } from '#test/e2e-rows.js'
import { askWire } from '#test/e2e.js'
import { formatTitle } from '#test/attack-rows.js'

/** Headers that only a connection has, or that differ for each request. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-dev-console',
  'x-request-id',
])

interface Answer {
  readonly status: number
  readonly headers: Iterable<readonly [string, string]>
  readonly body: string
}

/** Returns the parts that must be the same. */
function compared({ status, headers, body }: Answer): object {
  const fields = [...headers].filter(([name]) => !OWN.has(name))
  const text = body.replace(/"requestId":"[^"]+"/, '"requestId":""')
  return { status, fields: fields.map((field) => field.join(': ')).toSorted(), text }
}

describe('testApp() and a socket', () => {
  const app = tableApp()
  let port = 0
  let test: TestApp
  before(async () => {
    test = await testApp(app, { strict: false })
    port = (await app.listen()).port
  })
  after(async () => {
    await test.close()
    await app.close()
  })

  const rows = [...REQUEST_ROWS, ...ANSWER_ROWS].filter(({ reach }) => reach === 'both')

  it('compares more than 40 rows', () => assert.ok(rows.length > 40, String(rows.length)))

  for (const row of rows) {
    it(`gets the same response in process and over a socket: ${formatTitle(row)}`, async () => {
      const { target, method = 'GET', headers = {}, body } = row
      const response = await test.fetch(target, { method, headers, ...(body === undefined ? undefined : { body }) })
      // `askWire` joins several `Set-Cookie` lines into one entry.
      const cookies = response.headers.getSetCookie()
      const others = [...response.headers].filter(([name]) => name !== 'set-cookie')
      const fields = cookies.length === 0 ? others : [...others, ['set-cookie', cookies.join('\n')] as const]
      const inMemory = { status: response.status, headers: fields, body: await response.text() }
      assert.deepEqual(compared(inMemory), compared(await askWire(port, row)))
    })
  }
})
