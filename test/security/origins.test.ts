/** Attacks on `cors`: origins that resemble trusted ones, and requests that no browser sends. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { Route } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { sendStrictly, assertAlive, rowBytes, formatTitle } from '#test/attack-rows.js'
import { Alive } from '#test/response-routes.js'

const NAMED = ['https://app.example', 'https://*.preview.example:8443', 'capacitor://localhost']

class Data extends Route {
  get() {
    return 'data'
  }
  post() {
    return 'done'
  }
}

/** Each character is one byte. */
const LOOKALIKES = [
  ...['https://app.example.evil.test', 'https://evil.test/app.example', 'https://app.example@evil.test', 'null'],
  ...[
    'https://appxexample',
    'https://app.example:443',
    'https://app.example:8443',
    'http://app.example',
    'app.example',
  ],
  ...[
    'HTTPS://APP.EXAMPLE',
    'https://app.example/',
    'https://app.example, https://app.example',
    'https://app.example https://app.example',
  ],
  ...['https://preview.example:8443', 'https://.preview.example:8443', 'https://evilpreview.example:8443', '*'],
  ...['https://a.preview.example', 'https://a.preview.example:84430', 'https://a.preview.example:8443.evil.test', ''],
  ...[
    'https://evil.test/.preview.example:8443',
    'https://evil.test#.preview.example:8443',
    'https://a b.preview.example:8443',
  ],
  ...['https://evil.test\\.preview.example:8443', 'https://a..preview.example:8443', 'https://*.preview.example:8443'],
  ...['https://\xe4.preview.example:8443', 'file://', 'https://', '__proto__', 'constructor'],
]

describe('untrusted origins', () => {
  const ran: string[] = []
  const app = createUntypedApp({
    routes: { Data, Alive },
    cors: { origins: NAMED, credentials: true },
    signals: false,
  })
  const asked = createUntypedApp({
    routes: { Data, Alive },
    cors: { origins: (origin: string) => ran.push(origin) > 0 },
    signals: false,
  })
  let port = 0
  let askedPort = 0
  before(async () => {
    port = (await app.listen()).port
    askedPort = (await asked.listen()).port
  })
  after(() => Promise.all([app.close(), asked.close()]))

  for (const origin of LOOKALIKES) {
    it(
      formatTitle({ rule: `get no CORS headers: ${JSON.stringify(origin)}`, source: 'Fetch standard, section 3.2' }),
      async () => {
        for (const method of ['GET', 'OPTIONS']) {
          const headers = { origin, 'access-control-request-method': 'GET' }
          const [answer] = await sendStrictly(port, rowBytes({ target: '/data', method, headers }))
          const names = [...(answer?.headers.keys() ?? [])].filter((name) => name.startsWith('access-control-'))
          assert.deepEqual(names, [])
          assert.match(String(answer?.headers.get('vary')), /^origin/)
        }
      },
    )
  }

  it(
    formatTitle({
      rule: 'get CORS headers if they are trusted, so the tests above can fail',
      source: 'Fetch standard, section 3.2',
    }),
    async () => {
      for (const origin of ['https://app.example', 'https://a.b-c.preview.example:8443', 'capacitor://localhost']) {
        const [answer] = await sendStrictly(port, rowBytes({ target: '/data', headers: { origin } }))
        assert.deepEqual(answer?.headers.get('access-control-allow-origin'), [origin])
      }
    },
  )

  it(
    formatTitle({
      rule: 'are passed to a function only as a single well-formed origin',
      source: 'Fetch standard, section 3.2',
    }),
    async () => {
      for (const origin of LOOKALIKES) await sendStrictly(askedPort, rowBytes({ target: '/data', headers: { origin } }))
      const twice = rowBytes({ target: '/data', headers: { origin: 'https://a.test\r\nOrigin: https://b.test' } })
      const [answer] = await sendStrictly(askedPort, twice)
      assert.equal(answer?.headers.has('access-control-allow-origin'), false)
      for (const origin of ran) assert.match(origin, /^(?:null|[a-z]+:\/\/[\w.:\-[\]]+)$/)
      assert.ok(ran.includes('https://app.example.evil.test'))
      await assertAlive(askedPort)
    },
  )

  it(
    formatTitle({
      rule: 'get no CORS headers for random combinations of parts',
      source: 'Fetch standard, section 3.2',
    }),
    async () => {
      const pieces = [
        'https://',
        'http://',
        'app.example',
        '.preview.example',
        ':8443',
        '*',
        '.',
        'a',
        '-b',
        '@',
        '/',
        '?',
        '[',
      ]
      const texts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''))
      await fc.assert(
        fc.asyncProperty(texts, async (origin) => {
          const { headers } = await app.fetch(new Request('http://localhost/data', { headers: { origin } }))
          assert.equal(headers.get('access-control-allow-origin'), isNamed(origin) ? origin : null)
        }),
        { numRuns: 500, examples: [['https://app.example'], ['https://a.-b.preview.example:8443']] },
      )
    },
  )
})

/** A second implementation of the check: compares the labels of the host one by one. */
function isNamed(origin: string): boolean {
  if (origin === 'https://app.example') return true
  const [scheme, host = '', ...more] = origin.split('://')
  const [name = '', port, ...rest] = host.split(':')
  if (scheme !== 'https' || port !== '8443' || more.length > 0 || rest.length > 0) return false
  const labels = name.split('.')
  const isBelow = labels.length > 2 && labels.slice(-2).join('.') === 'preview.example'
  return isBelow && labels.every((label) => label !== '' && !/[*@/?[]/.test(label))
}
