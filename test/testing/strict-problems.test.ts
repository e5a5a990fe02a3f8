/** `strict`: problems and headers that differ from the contract. */
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
  // Without a contract, the errors come from the class and the group.
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

describe('strict: problems', () => {
  it('accepts a problem with the members of its schema', async () => {
    assert.equal(await flawOf('/seats?right'), '')
  })

  const FLAWS: readonly (readonly [query: string, said: RegExp])[] = [
    ['wrong', /^Cannot accept the response to GET \/seats: 409, because .*members of the 409 problem.*\n {2}\/seat: /s],
    ['missing', /\/seat: .*\n {2}\/until: .*"HttpError\.of"/s],
    ['unknown', /property "\/secret" is not documented/],
    ['code', /401 problem.*\/code: /s],
    ['group', /423 problem.*\/by: /s],
    ['limited', /429 problem.*\/wait: /s],
  ]
  for (const [query, said] of FLAWS) {
    it(`rejects a problem with other members: ${query}`, async () => {
      assert.match(await flawOf(`/seats?${query}`), said)
      assert.equal(await flawOf(`/seats?${query}`, {}, { strict: false }), '')
    })
  }

  it('checks problems of endpoints without a contract, and of the framework', async () => {
    assert.match(await flawOf('/seats', { method: 'PUT' }), /401 problem.*\/code: /s)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    assert.match(await flawOf('/seats', init), /422 problem.*\/why: /s)
  })
})

describe('strict: headers of the contract', () => {
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

  it('accepts only headers that the contract declares', async () => {
    const { api } = await testApp(createApp({ routes: { Users }, logger: false }))
    const { headers } = await api('/users').put()
    assert.equal(headers.get('x-total'), '1')
    await assert.rejects(api('/users').get(), /its header "x-other" is not documented/)
  })
})
