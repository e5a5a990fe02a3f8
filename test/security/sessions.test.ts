// own process: hooks of createVisitor() are for all tests of the process
/** Attacks on sessions over sockets: fixation, forged, swapped and repeated cookies, replay, and stores that misbehave. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createApp, Route, type App, type Input } from 'verbena'
import { sealedCookie, session, signedCookie, signedIn, type SessionStore } from 'verbena/session'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { Alive } from '#test/response-routes.js'
import { captureLog, createGate } from '#test/apps.js'
import { assertAlive, sendStrictly, rowBytes, formatTitle } from '#test/attack-rows.js'
import { KEY, OTHER_KEY, readCookie, setCookies, Visitor, createVisitor } from '#test/browser-client.js'
import * as z from 'zod'

const NAME = '__Host-session'
const kept = memorySessions()
const keys: string[] = []
const { logger, lines } = captureLog()

/** A store that records its keys and values. */
const store: SessionStore = {
  ...kept,
  set: (key, text, end, write) => {
    keys.push(key, text)
    return kept.set(key, text, end, write)
  },
}

function appWith(given: SessionStore, key = KEY, name = 'session'): App {
  const visitor = session({
    schema: z.object({ id: z.string(), at: z.number().default(0) }),
    keys: [key],
    store: given,
    cookie: { name },
  })
  const user = signedIn(visitor, ({ id }) => id)
  const signed = signedCookie('signed', { keys: [key] })
  const sealed = sealedCookie('sealed', { keys: [key] })
  class Signing extends Route {
    static readonly path = '/session'
    static readonly uses = { visitor }
    static readonly post = this.contract({ body: z.string() })
    async post({ visitor, body }: Input<typeof Signing.post>) {
      visitor.start({ id: body })
    }
    static readonly put = this.contract({ query: z.object({ waits: z.boolean().default(false) }) })
    async put({ visitor, query }: Input<typeof Signing.put>) {
      if (query.waits) {
        gate.entered.open()
        await gate.leaves.opened
      }
      visitor.set({ id: visitor.value?.id ?? 'nobody', at: 1 })
    }
    static readonly delete = this.contract({})
    async delete({ visitor }: Input<typeof Signing.delete>) {
      visitor.end()
    }
  }
  class Me extends Route {
    static readonly get = this.contract({ uses: { user } })
    async get({ user }: Input<typeof Me.get>) {
      return `I am ${user}`
    }
  }
  class Small extends Route {
    static readonly get = this.contract({ uses: { signed, sealed } })
    async get({ signed, sealed }: Input<typeof Small.get>) {
      return [signed.value ?? null, sealed.value ?? null]
    }
    static readonly put = this.contract({ uses: { signed, sealed }, query: z.object({ length: z.number() }) })
    async put({ signed, sealed, query }: Input<typeof Small.put>) {
      signed.set('a'.repeat(query.length))
      sealed.set('b'.repeat(query.length))
    }
  }
  return createApp({ logger, routes: { Signing, Me, Small, Alive }, signals: false })
}

const gate = { entered: createGate(), leaves: createGate() }
const app = appWith(store)
const ada = createVisitor(app)
const clearCalls = () => {
  keys.length = 0
  lines.length = 0
}
const signIn = (who = ada, id = 'ada') => who.ask('POST', '/session', { body: id })

/** Returns the user of a `Cookie` header, or the status. */
async function whoIs(cookie: string, at = ada.port): Promise<string> {
  const [answer] = await sendStrictly(at, rowBytes({ target: '/me', headers: { cookie } }))
  return answer?.status === 200 ? answer.body.toString() : String(answer?.status)
}

describe('sessions under attack', () => {
  beforeEach(clearCalls)

  const source = 'OWASP Session Management Cheat Sheet'

  it(
    formatTitle({ rule: 'never use an id from before the sign-in, or one chosen by an attacker', source }),
    async () => {
      for (const planted of ['a'.repeat(94), Buffer.alloc(70).toString('base64url'), 'x']) {
        ada.cookies.set(NAME, planted)
        await signIn()
        assert.notEqual(ada.cookies.get(NAME), planted)
        assert.equal(await whoIs(`${NAME}=${planted}`), '401')
      }
      // An attacker signs in, plants that session, and waits.
      const mallory = new Visitor(ada.port)
      await signIn(mallory, 'mallory')
      const planted = String(mallory.cookies.get(NAME))
      ada.cookies.set(NAME, planted)
      await signIn()
      assert.equal(await whoIs(`${NAME}=${ada.cookies.get(NAME)}`), 'I am ada')
      assert.equal(await whoIs(`${NAME}=${planted}`), '401')
    },
  )

  it(formatTitle({ rule: 'reject forged and truncated cookies', source: 'RFC 2104' }), async () => {
    await signIn()
    const cookie = String(ada.cookies.get(NAME))
    const forged = [
      ...Array.from({ length: 20 }, (_, at) => cookie.slice(0, at * 4)),
      ...Array.from({ length: 20 }, (_, at) => cookie.slice(at + 1)),
      ...[
        `${cookie}A`,
        `${cookie}==`,
        `"${cookie}"`,
        `${cookie}%00`,
        encodeURIComponent(`${cookie} `),
        cookie.toUpperCase(),
      ],
      ...[
        cookie.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        'undefined',
        'null',
        '{}',
        '__proto__',
        '%',
        '%ff',
      ],
    ]
    for (const value of forged) assert.equal(await whoIs(`${NAME}=${value}`), '401', value)
    assert.equal(await whoIs(`${NAME}=${cookie}`), 'I am ada')
    await assertAlive(ada.port)
  })

  it(formatTitle({ rule: 'reject cookies of another name, another kind or another app', source }), async () => {
    const foreignApp = appWith(store, OTHER_KEY)
    const named = appWith(store, KEY, 'admin')
    try {
      const ports = [(await foreignApp.listen({ port: 0 })).port, (await named.listen({ port: 0 })).port]
      const visitors = ports.map((each) => new Visitor(each))
      for (const visitor of [ada, ...visitors]) {
        await signIn(visitor)
        await visitor.ask('PUT', '/small?length=3')
      }
      const [otherJar, namedJar] = visitors.map(({ cookies }) => cookies)
      const foreign = [
        otherJar?.get(NAME),
        namedJar?.get('__Host-admin'),
        ada.cookies.get('__Host-signed'),
        ada.cookies.get('__Host-sealed'),
      ]
      for (const value of foreign) {
        assert.ok(value !== undefined)
        assert.equal(await whoIs(`${NAME}=${value}`), '401')
      }
      const swapped = `__Host-signed=${ada.cookies.get('__Host-sealed')}; __Host-sealed=${ada.cookies.get('__Host-signed')}`
      const other = new Visitor(ada.port)
      assert.equal((await other.ask('GET', '/small', { headers: { cookie: swapped } })).body, '[null,null]')
      const session = `__Host-signed=${ada.cookies.get(NAME)}; __Host-sealed=${ada.cookies.get(NAME)}`
      assert.equal((await other.ask('GET', '/small', { headers: { cookie: session } })).body, '[null,null]')
      assert.equal((await ada.ask('GET', '/small')).body, '["aaa","bbb"]')
    } finally {
      await Promise.all([foreignApp.close(), named.close()])
    }
  })

  it(
    formatTitle({ rule: 'reject two different cookies with the same name', source: 'RFC 6265 section 8.6' }),
    async () => {
      const mallory = new Visitor(ada.port)
      await signIn(mallory, 'mallory')
      await signIn()
      const [own, tossed] = [ada, mallory].map(({ cookies }) => `${NAME}=${cookies.get(NAME)}`)
      assert.equal(await whoIs(`${own}; ${tossed}`), '401')
      assert.equal(await whoIs(`${tossed}; ${own}`), '401')
      assert.equal(await whoIs(`${own}; ${NAME}=`), '401')
      assert.equal(await whoIs(`${own}; ${own}`), 'I am ada')
      assert.equal(await whoIs(`a=b;${own} ; c`), 'I am ada')
      // Other whitespace is part of the cookie name, so browsers do not enforce the `__Host-` prefix.
      for (const blank of ['\xa0', '\x0b', '\x85'])
        assert.equal(await whoIs(`${blank}${tossed}`), blank === '\x0b' ? '400' : '401')
      // A name in another case is a different cookie, to which browsers may not apply the `__Host-` rules.
      assert.equal(await whoIs(`${tossed?.replace(NAME, '__host-Session')}`), '401')
      const [twice] = await sendStrictly(
        ada.port,
        rowBytes({ target: '/me', headers: { cookie: `${own}\r\nCookie: ${tossed}` } }),
      )
      assert.equal(twice?.status, 401)
      assert.equal(twice?.headers.has('set-cookie'), false)
    },
  )

  it(formatTitle({ rule: 'reject a stored cookie after the session has ended', source }), async () => {
    await signIn()
    const cookie = `${NAME}=${ada.cookies.get(NAME)}`
    await ada.ask('DELETE', '/session')
    assert.equal(await whoIs(cookie), '401')
    assert.equal((await ada.ask('PUT', '/session', { headers: { cookie } })).status, 500)
    assert.equal(await whoIs(cookie), '401')
  })

  it(
    formatTitle({ rule: 'are not restored by a request that was in progress when they ended', source: 'CWE-613' }),
    async () => {
      await signIn()
      const cookie = `${NAME}=${ada.cookies.get(NAME)}`
      const slow = ada.ask('PUT', '/session?waits=true')
      await gate.entered.opened
      assert.equal((await new Visitor(ada.port).ask('DELETE', '/session', { headers: { cookie } })).status, 204)
      gate.leaves.open()
      assert.equal((await slow).status, 204)
      assert.equal(await whoIs(`${NAME}=${ada.cookies.get(NAME)}`), '401')
      assert.equal(await whoIs(cookie), '401')
    },
  )

  it(formatTitle({ rule: 'cannot be stolen by reading the store', source: 'CWE-312' }), async () => {
    await signIn()
    const [key = '', text = ''] = keys
    const id = Buffer.from(String(ada.cookies.get(NAME)), 'base64url').subarray(6, 38)
    for (const form of [id.toString('base64url'), id.toString('hex'), id.toString('base64')]) {
      assert.ok(!key.includes(form) && !text.includes(form))
    }
    for (const value of [key, text]) assert.equal(await whoIs(`${NAME}=${encodeURIComponent(value)}`), '401')
  })

  it(formatTitle({ rule: 'have unguessable ids', source: 'NIST SP 800-63B section 7.1' }), async () => {
    const ids = new Set<string>()
    for (let count = 0; count < 50; count++) {
      await signIn()
      ids.add(
        Buffer.from(String(ada.cookies.get(NAME)), 'base64url')
          .subarray(6, 38)
          .toString('hex'),
      )
    }
    assert.equal(ids.size, 50)
    for (const id of ids) assert.match(id, /^[\da-f]{64}$/)
  })

  it(
    formatTitle({ rule: 'respond 500 instead of setting a cookie of more than 4 kB', source: 'RFC 6265 section 6.1' }),
    async () => {
      const { status, headers, body } = await ada.ask('PUT', '/small?length=5000')
      assert.deepEqual([status, headers.get('set-cookie'), body.includes('4096')], [500, undefined, false])
      assert.match(String(lines[0]?.fields['err']), /TypeError: Cannot set cookie "__Host-s/)
      const huge = `${NAME}=${'A'.repeat(12_000)}`
      assert.equal(await whoIs(huge), '401')
    },
  )
})

describe('stores that misbehave', () => {
  beforeEach(clearCalls)

  const source = 'CWE-636: fail open'
  const FAULTS: readonly (readonly [about: string, fault: () => unknown, status: number])[] = [
    ['throws', () => assert.fail('down'), 503],
    ['rejects', () => Promise.reject(new Error('connection refused at redis://:hunter2@10.0.0.1')), 503],
    ['returns a number', () => 7, 500],
    ['returns an object', async () => ({ last: 9e15, value: { id: 'mallory' } }), 500],
    ['returns bytes', () => Buffer.from('{"last":9e15,"value":{"id":"mallory"}}'), 500],
    ['returns true', () => true, 500],
    ['returns half a string', () => '{"last":9e15,"value":{"id":"mal', 401],
    ['returns another shape', () => '{"value":{"id":"mallory"}}', 401],
    ['returns a value of another schema', () => '{"last":9e15,"value":{"id":7}}', 401],
    ['returns an expired session', () => '{"last":1,"value":{"id":"mallory"}}', 401],
    ['returns a __proto__ key', () => '{"last":9e15,"value":{"__proto__":{"id":"mallory"}}}', 401],
  ]

  for (const [about, fault, status] of FAULTS) {
    it(formatTitle({ rule: `sign no user in: one that ${about}`, source }), async () => {
      lines.length = 0
      const faulty = appWith({ ...memorySessions(), get: () => fault() as string })
      try {
        const { port: at } = await faulty.listen({ port: 0 })
        const visitor = new Visitor(at)
        await signIn(visitor)
        const { status: answered, body } = await visitor.ask('GET', '/me')
        assert.equal(answered, status)
        assert.ok(!body.includes('redis') && !body.includes('store') && !body.includes('mallory'))
        const log = lines.filter(({ level }) => level === 'error' || level === 'warn').length
        assert.equal(log, status >= 500 || about.includes('half') || about.includes('shape') ? 1 : 0)
        await assertAlive(at)
      } finally {
        await faulty.close()
      }
    })
  }

  it(formatTitle({ rule: 'start and end no session if they are unavailable', source }), async () => {
    const down = (): never => assert.fail('down')
    const calls: (readonly [method: string, broken: Partial<SessionStore>])[] = [
      ['POST', { set: down }],
      ['POST', { delete: down }],
      ['PUT', { set: (key, text, end, write) => (write === 'new' ? kept.set(key, text, end, write) : down()) }],
      ['DELETE', { delete: down }],
    ]
    for (const [method, broken] of calls) {
      const faulty = appWith({ ...kept, ...broken })
      try {
        const { port: at } = await faulty.listen({ port: 0 })
        const visitor = new Visitor(at)
        if (broken.set === undefined || method === 'PUT') {
          await signIn()
          visitor.cookies.set(NAME, String(ada.cookies.get(NAME)))
        }
        const answer = await visitor.ask(method, '/session', method === 'POST' ? { body: 'ada' } : {})
        assert.equal(answer.status, 503, method)
        const values = setCookies(answer).map((line) => readCookie(line).value)
        assert.ok(
          values.every((value) => value === ''),
          'no new cookie',
        )
      } finally {
        await faulty.close()
      }
    }
  })
})
