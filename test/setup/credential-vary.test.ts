/** `Vary` of endpoints that read credentials: every header that their guards could read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, apiKey, bearer, optional, provide, Route, type Uses } from 'verbena'
import { sealedCookie, session, signedCookie, signedIn } from 'verbena/session'
import * as z from 'zod'
import { createUntypedApp, sendRequest } from '#test/apps.js'

const keys = ['a text of 32 bytes that nobody knows']
const user = bearer((token) => token === 'a1b2' && 'ada')
const partner = apiKey({ in: 'header', name: 'X-API-Key' }, (key) => key === 'k' && 'acme')
const visitor = session({ keys })
const inQuery = apiKey({ in: 'query', name: 'key' }, (key) => key === 'k' && 'acme')
const inCookie = apiKey({ in: 'cookie', name: 'key' }, (key) => key === 'k' && 'acme')
const certified = provide({ security: { type: 'mutualTLS' } }, () => 'ada')
const single = provide({ security: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example' } }, () => 'ada')
const SIGNED = z.object({ 'x-signature': z.string().optional(), 'x-time': z.string().optional() })
const signature = provide({ headers: SIGNED, security: { type: 'http', scheme: 'signature' } }, () => 'ada')
const opaque = provide(
  { headers: z.record(z.string(), z.string()), security: { type: 'http', scheme: 'own' } },
  () => 'ada',
)
const nameless = provide({ security: { type: 'apiKey', in: 'header', name: 'not a token' } }, () => 'ada')
const member = provide(
  { uses: { user }, cookies: z.object({ team: z.string().optional() }), errors: [403] },
  () => true,
)
const counted = provide({ guard: true, headers: z.object({ 'x-team': z.string().optional() }) }, () => 1)

const VARY: readonly (readonly [name: string, uses: Uses, vary: string | null])[] = [
  ['bearer', { user }, 'authorization'],
  ['apiKey in a header', { partner }, 'x-api-key'],
  ['apiKey in the query', { inQuery }, null],
  ['apiKey in a cookie', { inCookie }, 'cookie'],
  ['anyOf', { caller: anyOf(user, partner, inCookie) }, 'authorization, x-api-key, cookie'],
  ['optional', { caller: optional(partner) }, 'x-api-key'],
  ['session', { visitor }, 'cookie'],
  ['signedIn', { member: signedIn(visitor, (name) => name) }, 'cookie'],
  ['signedCookie', { theme: signedCookie('theme', { keys }) }, 'cookie'],
  ['sealedCookie', { state: sealedCookie('state', { keys }) }, 'cookie'],
  ['mutual TLS', { certified }, null],
  ['OpenID Connect', { single }, 'authorization'],
  ['a guard that describes its headers', { signature }, 'authorization, x-signature, x-time'],
  ['a guard whose schema allows any header', { opaque }, 'authorization'],
  ['a header that is no token', { nameless }, null],
  ['a role that reads a cookie', { member }, 'authorization, cookie'],
  ['two guards', { user, visitor }, 'authorization, cookie'],
  ['a guard without a scheme beside credentials', { user, counted }, 'authorization, x-team'],
]

/** Returns the status and `Vary` of a response. */
async function ask(uses: Uses, key: string) {
  class Data extends Route {
    static readonly get = this.contract({ uses })
    get() {
      return 1
    }
  }
  const token = key === 'k' ? 'a1b2' : 'wrong'
  const init = { headers: { authorization: `Bearer ${token}`, 'x-api-key': key, cookie: `key=${key}` } }
  const { headers, status } = await sendRequest(createUntypedApp({ routes: { Data } }), `/data?key=${key}`, init)
  return { status, vary: headers.get('vary') }
}

describe('varyOfCredentials()', () => {
  for (const [name, uses, vary] of VARY) {
    it(`returns every header that could be read, whichever was: ${name}`, async () => {
      const answer = await ask(uses, 'k')
      const refused = await ask(uses, 'wrong')
      assert.deepEqual([answer.vary, refused.vary], [vary, vary], `${answer.status} and ${refused.status}`)
    })
  }
})
