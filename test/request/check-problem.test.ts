/** Problems and the schema of their extension members: sent members, and logged violations. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, HttpError, provide, Route, type Middleware } from 'verbena'
import { sendRequest, json, captureLog, looseContract, createUntypedApp } from '#test/apps.js'
import { type as arktype } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'

const Taken = z.object({ seat: z.string() })
const SENT_PLAIN = 'Problem sent without its extension members'

/** Sends a request to an app whose only endpoint throws. Returns the extension members of the response, and the log. */
async function thrown(errors: object, error: () => unknown, options: object = {}) {
  class Probe extends Route {
    static readonly get = looseContract(Probe, { errors })
    get(): never {
      throw error()
    }
  }
  const { logger, lines } = captureLog()
  const { status, body } = await sendRequest(createUntypedApp({ routes: { Probe }, logger, ...options }), '/probe')
  const { type, title, status: said, detail, requestId, ...members } = Object(body)
  assert.deepEqual([said, typeof requestId], [status, 'string'])
  return { status, type, title, detail, members, logged: lines.map(({ message }) => message), lines }
}

describe('extension members of a problem', () => {
  it('sends members unchanged if no schema is declared for the status', async () => {
    const { members, logged } = await thrown({ 404: Taken }, () => new HttpError(409, 'Taken', { seat: 12 }))
    assert.deepEqual([members, logged], [{ seat: 12 }, []])
  })

  it('sends valid members as the schema converts them, and keeps members that it does not name', async () => {
    const Late = z.object({ at: z.date().transform((at) => at.getTime()), by: z.string().default('nobody') })
    const { status, detail, members, logged } = await thrown(
      { 409: Late },
      () => new HttpError(409, 'Late', { at: new Date(5), more: true }),
    )
    assert.deepEqual([status, detail, members], [409, 'Late', { at: 5, by: 'nobody', more: true }])
    assert.deepEqual(logged, [])
  })

  const BROKEN: readonly (readonly [about: string, schema: unknown, members: object])[] = [
    ['zod', Taken, { seat: 12, secret: 's-4711' }],
    ['valibot', v.object({ seat: v.string() }), { seat: 12 }],
    ['arktype', arktype({ seat: 'string' }), { seat: 12 }],
    ['a strict schema', z.strictObject({ seat: z.string() }), { seat: '12A', secret: 's-4711' }],
    ['an asynchronous schema', Taken.refine(async ({ seat }) => seat !== '12A'), { seat: '12A' }],
    ['a schema because all are missing', Taken, {}],
  ]
  for (const [about, schema, members] of BROKEN) {
    it(`drops and logs members that violate ${about}`, async () => {
      const answer = await thrown({ 409: schema }, () => new HttpError(409, 'Taken', { ...members }))
      assert.deepEqual([answer.status, answer.detail, answer.members], [409, 'Taken', {}])
      assert.deepEqual(answer.logged, [SENT_PLAIN])
      const message = String(Object(answer.lines[0]?.fields['err']).message)
      assert.match(message, /the extension members of the 409 problem do not match their schema/)
      assert.doesNotMatch(message, /s-4711/)
    })
  }

  it('sends members unchanged with validateResponses: false', async () => {
    const options = { validateResponses: false }
    const { members, logged } = await thrown({ 409: Taken }, () => new HttpError(409, 'x', { seat: 12 }), options)
    assert.deepEqual([members, logged], [{ seat: 12 }, []])
  })

  it('validates members of an error from mapError', async () => {
    const mapError = () => new HttpError(409, 'Mapped', { seat: 12 })
    const { detail, members, logged } = await thrown({ 409: Taken }, () => new Error('row 7'), { mapError })
    assert.deepEqual([detail, members, logged], ['Mapped', {}, [SENT_PLAIN]])
  })

  it('validates members of an error thrown by middleware, and passes the plain problem to outer middleware', async () => {
    const seen: unknown[] = []
    const outer: Middleware = async (_context, next) => {
      const reply = await next()
      seen.push(Object(reply.body).seat, reply.error instanceof HttpError)
      return reply
    }
    const inner = (): never => {
      throw new HttpError(409, 'Taken', { seat: 12 })
    }
    for (const schema of [Taken, Taken.refine(async () => true)]) {
      const answer = await thrown({ 409: schema }, () => new Error('unused'), { middleware: [outer, inner] })
      assert.deepEqual([answer.members, answer.logged], [{}, [SENT_PLAIN]])
    }
    assert.deepEqual(seen, [undefined, true, undefined, true])
  })

  it('accepts members that match the schema of one of several providers', async () => {
    const role = provide({ errors: { 403: z.object({ role: z.string() }) } }, ({ request }) => {
      if (request.url.includes('role')) throw new HttpError(403, 'Role', { role: 'admin' })
    })
    const quota = provide({ errors: { 403: z.object({ left: z.number() }) } }, ({ request }) => {
      if (request.url.includes('quota')) throw new HttpError(403, 'Quota', { left: 0 })
      throw new HttpError(403, 'Neither', { role: 1 })
    })
    class Probe extends Route {
      static readonly uses = { role, quota }
      get() {}
    }
    const app = createUntypedApp({ routes: { Probe } })
    assert.equal(Object((await sendRequest(app, '/probe?role')).body).role, 'admin')
    assert.equal(Object((await sendRequest(app, '/probe?quota')).body).left, 0)
    assert.equal('role' in Object((await sendRequest(app, '/probe')).body), false)
  })
})

describe('problem schemas that describe a standard member', () => {
  const urn = { type: 'urn:taken', seat: '12A' }
  const LITERAL = { type: z.literal('urn:taken'), seat: z.string() }
  const SCHEMAS: readonly (readonly [about: string, schema: unknown])[] = [
    ['an object', z.object(LITERAL)],
    ['a strict object', z.strictObject(LITERAL)],
    ['a union', z.union([z.object({ type: z.literal('urn:other') }), z.object(LITERAL)])],
    ['a discriminated union', z.discriminatedUnion('type', [z.object(LITERAL)])],
    ['valibot', v.strictObject({ type: v.literal('urn:taken'), seat: v.string() })],
    ['arktype', arktype({ type: '"urn:taken"', seat: 'string' })],
  ]
  for (const [about, schema] of SCHEMAS) {
    it(`passes the standard member to the schema: ${about}`, async () => {
      const kept = await thrown({ 409: schema }, () => new HttpError(409, 'Taken', urn))
      assert.deepEqual([kept.type, kept.members, kept.logged], ['urn:taken', { seat: '12A' }, []])
      const broken = await thrown({ 409: schema }, () => new HttpError(409, 'Taken', { ...urn, type: 'urn:none' }))
      assert.deepEqual([broken.type, broken.members, broken.logged], ['urn:none', {}, [SENT_PLAIN]])
    })
  }
})

describe('problems of the framework', () => {
  it('sends a framework problem unchanged and unlogged even if it violates the declared schema', async () => {
    const user = bearer((token) => token === 'a' && { id: 'a' })
    const errors = { 401: z.object({ code: z.string() }), 422: z.object({ errors: z.record(z.string(), z.string()) }) }
    class Probe extends Route {
      static readonly errors = errors
      static readonly post = this.contract({ uses: { user }, body: Taken })
      post() {}
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Probe }, logger })
    const refused = await sendRequest(app, '/probe', json({ seat: 1 }))
    assert.equal(refused.status, 401)
    assert.match(String(refused.headers.get('www-authenticate')), /Bearer/)
    const headers = { ...json({}).headers, authorization: 'Bearer a' }
    const invalid = await sendRequest(app, '/probe', { ...json({ seat: 1 }), headers })
    assert.deepEqual([invalid.status, Object(invalid.body).errors[0].pointer], [422, '/seat'])
    assert.deepEqual(lines, [])
  })
})

describe('problem validators that fail', () => {
  const failing = (fail: () => unknown) => ({ '~standard': { version: 1, vendor: 'broken', validate: fail } })
  const FAILS: readonly (readonly [about: string, fail: () => unknown])[] = [
    [
      'throws',
      () => {
        throw new Error('validator')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('validator'))],
  ]
  for (const [about, fail] of FAILS) {
    it(`responds with a plain 500 if a validator ${about}`, async () => {
      const answer = await thrown({ 409: failing(fail) }, () => new HttpError(409, 'Taken', { seat: '12A' }))
      assert.deepEqual([answer.status, answer.detail, answer.members], [500, undefined, {}])
      assert.ok(answer.logged.includes('Failed to serialize an HttpError'))
    })
  }
})

describe('slow problem schemas', () => {
  it('does not change the response if middleware replies before validation ends', async () => {
    let release = (): void => {}
    const waiting = new Promise<void>((resolve) => (release = resolve))
    const Slow = Taken.refine(async () => waiting.then(() => true))
    const impatient: Middleware = async (_context, next) => {
      void next()
      await new Promise((resolve) => setImmediate(resolve))
      throw new HttpError(503, 'Too slow')
    }
    const answer = await thrown({ 409: Slow }, () => new HttpError(409, 'Taken', { seat: '1' }), {
      middleware: [impatient],
    })
    release()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([answer.status, answer.detail], [503, 'Too slow'])
  })
})
