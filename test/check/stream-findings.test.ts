/** `app.check()`: providers whose cleanup runs while a stream still uses their values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, bytes, events, precondition, provide, Route, stream, text, type Provider } from 'verbena'
import { file } from 'verbena/files'
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import { session } from 'verbena/session'
import * as z from 'zod'
import { createUntypedApp, looseContract } from '#test/apps.js'

const opened: string[] = []
const tx = provide({}, async function* () {
  yield 'open'
  opened.push('closed')
})
const lock = provide({}, function* () {
  yield 'open'
})
const late = provide(
  {},
  async function* () {
    yield 'open'
  },
  { ends: 'after-response' },
)
const plain = provide({}, () => 'value')

interface Given {
  readonly contract?: object | undefined
  readonly uses?: Readonly<Record<string, Provider<unknown>>>
  readonly isGenerator?: boolean
  readonly routes?: object
}

/** Checks an app whose only GET has this contract. */
function check({ contract, uses = { tx }, isGenerator = false, routes = {} }: Given) {
  class Export extends Route {
    static readonly uses = uses
    static readonly get = contract && looseContract(this, contract)
    get() {}
  }
  const generated = async function* () {
    yield 'a'
  }
  if (isGenerator) Export.prototype.get = generated as never
  const app = createUntypedApp({ routes: { Export, ...routes } })
  return app.check().filter(({ code }) => code === 'CLEANUP_EARLY')
}

describe('app.check(): CLEANUP_EARLY', () => {
  it('names the provider, the option, and the effect of a commit that fails', () => {
    const [finding = assert.fail(), ...others] = check({ contract: { returns: stream() } })
    assert.deepEqual(others, [])
    assert.deepEqual([finding.route, finding.method], ['Export', 'GET'])
    assert.match(
      finding.message,
      /^"GET \/export" streams, but the code after "yield" of its provider "tx" runs at the/,
    )
    assert.match(finding.fix, /^Write "\{ ends: 'after-response' \}".*A commit that fails is only logged/)
  })

  const reported: readonly (readonly [about: string, given: Given, count?: number])[] = [
    ['events', { contract: { returns: events(z.string()) } }],
    ['a stream with types', { contract: { returns: stream({ types: ['text/csv'] }) } }],
    ['one of several statuses', { contract: { returns: { 200: stream(), 404: null } } }],
    ['a generator without a contract', { isGenerator: true }],
    ['a generator without "returns"', { contract: {}, isGenerator: true }],
    ['each generator', { contract: { returns: stream() }, uses: { tx, lock, late, plain } }, 2],
    [
      'a provider that another one uses',
      { contract: { returns: stream() }, uses: { outer: provide({ uses: { tx } }, () => 1) } },
    ],
  ]
  for (const [about, given, count = 1] of reported) {
    it(`reports ${about}`, () => {
      assert.equal(check(given).length, count)
    })
  }

  const accepted: readonly (readonly [about: string, given: Given])[] = [
    ['a file', { contract: { returns: file() } }],
    ['a value', { contract: { returns: text() } }],
    ['bytes', { contract: { returns: bytes() } }],
    ['a method without a contract', {}],
    ['a provider that ends after the response', { contract: { returns: stream() }, uses: { late } }],
    ['a provider without cleanup', { contract: { returns: stream() }, uses: { plain } }],
    [
      'providers of Verbena',
      {
        contract: { returns: stream() },
        uses: {
          user: bearer(() => 'ada'),
          few: rateLimit({ by: () => 'all', limit: 1, window: 1000 }),
          visitor: session({ keys: ['a text of 32 bytes that nobody knows'] }),
          unchanged: precondition({}, () => '1') as never,
        },
      },
    ],
  ]
  for (const [about, given] of accepted) {
    it(`accepts ${about}`, () => {
      assert.deepEqual(check(given), [])
    })
  }

  it('accepts a provider that stores idempotent responses, which has to end before the response', () => {
    class Orders extends Route {
      static readonly uses = { tx }
      static readonly post = looseContract(this, {
        returns: null,
        idempotency: idempotency({ by: () => 'all', ttl: 60_000, within: tx, store: () => assert.fail() }),
      })
      post() {}
    }
    assert.deepEqual(check({ contract: { returns: stream() }, routes: { Orders } }), [])
  })

  it('is right: the cleanup runs at the first chunk', async () => {
    opened.length = 0
    class Export extends Route {
      static readonly uses = { tx }
      async *get() {
        yield 'a'
        yield opened.join()
      }
    }
    const app = createUntypedApp({ routes: { Export } })
    const response = await app.fetch(new Request('http://localhost/export'))
    assert.equal(await response.text(), 'aclosed')
  })
})
