/** Strictness about problems and header fields: a test fails where they are not what the contract says. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, HttpError, json, provide, reply, Route, type Input } from 'verbena'
import { testApp, TestFailure, type TestOptions } from 'verbena/testing'
import * as z from 'zod'

const Taken = z.object({ seat: z.string(), until: z.date() })
const until = new Date(0)

class Base extends Route {
  static readonly errors = { 401: z.object({ code: z.string() }) }
}
const limited = provide({ errors: { 429: z.object({ wait: z.number() }) } }, ({ request }) => {
  if (request.url.includes('limited')) throw new HttpError(429, 'Wait', { wait: 'long' })
})
class Seats extends Base {
  static readonly get = this.contract({ errors: { 409: Taken }, uses: { limited } })
  get({ request }: Input<typeof Seats.get>): void {
    const members: Record<string, object> = {
      right: { seat: '12A', until },
      wrong: { seat: 12, until },
      missing: {},
      unknown: { seat: '12A', until, secret: 1 },
    }
    const asked = request.url.split('?')[1] ?? ''
    if (asked in members) throw new HttpError(409, 'Taken', { ...members[asked] })
    if (asked === 'code') throw new HttpError(401, undefined, { code: 7 })
    if (asked === 'group') throw new HttpError(423, undefined, { by: 7 })
  }
  // No contract: the class and the group speak for it.
  put(): void {
    throw new HttpError(401)
  }
  static readonly post = this.contract({
    body: z.object({ a: z.string() }),
    errors: { 422: z.object({ why: z.string() }) },
  })
  post(): void {}
}
const routes = { all: group({ errors: { 423: z.object({ by: z.string() }) }, routes: { Seats } }) }
const app = createApp({ routes, logger: false })

async function flawOf(path: string, init: RequestInit = {}, options: TestOptions = {}): Promise<string> {
  const { fetch } = await testApp(app, options)
  try {
    await fetch(path, init)
    return ''
  } catch (error) {
    assert.ok(error instanceof TestFailure, String(error))
    return error.message
  }
}

describe('strict: the members of a problem', () => {
  it('that keep to the contract are fine', async () => {
    assert.equal(await flawOf('/seats?right'), '')
  })

  const FLAWS: readonly (readonly [query: string, said: RegExp])[] = [
    ['wrong', /^Cannot accept the answer of GET \/seats: 409, and .*members of the problem 409.*\n {2}\/seat: /s],
    ['missing', /\/seat: .*\n {2}\/until: .*"HttpError\.of"/s],
    ['unknown', /no field "\/secret" for it/],
    ['code', /problem 401.*\/code: /s],
    ['group', /problem 423.*\/by: /s],
    ['limited', /problem 429.*\/wait: /s],
  ]
  for (const [query, said] of FLAWS) {
    it(`that do not fail the call: ${query}`, async () => {
      assert.match(await flawOf(`/seats?${query}`), said)
      assert.equal(await flawOf(`/seats?${query}`, {}, { strict: false }), '')
    })
  }

  it('are asked of endpoints without a contract, and of what the framework refuses', async () => {
    assert.match(await flawOf('/seats', { method: 'PUT' }), /problem 401.*\/code: /s)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    assert.match(await flawOf('/seats', init), /problem 422.*\/why: /s)
  })
})

describe('strict: a header field', () => {
  class Users extends Route {
    static readonly get = this.contract({ returns: json(z.string(), { headers: z.object({ 'X-Total': z.string() }) }) })
    get() {
      return reply(200, 'a', { 'x-total': '1', 'x-other': '2' })
    }
    static readonly put = this.contract({ returns: json(z.string(), { headers: z.object({ 'x-total': z.string() }) }) })
    put() {
      return reply(200, 'a', { 'x-total': '1' })
    }
  }

  it('that the contract describes is known', async () => {
    const { api } = await testApp(createApp({ routes: { Users }, logger: false }))
    const { headers } = await api('/users').put()
    assert.equal(headers.get('x-total'), '1')
    await assert.rejects(api('/users').get(), /nobody says what its header "x-other" is/)
  })
})
