/** The value of `Cache-Control`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cacheControl } from 'verbena'
import { assertSetupError } from '#test/apps.js'

const loose = (options: object): string => cacheControl(options)

describe('cacheControl()', () => {
  it('writes each directive', () => {
    const switches = { public: true, noStore: true, noCache: true, mustRevalidate: true, proxyRevalidate: true }
    const times = { maxAge: 1000, sharedMaxAge: 2000, staleWhileRevalidate: 3000, staleIfError: 4000 }
    assert.equal(
      cacheControl({ ...switches, ...times, immutable: true, noTransform: true }),
      'public, no-store, no-cache, max-age=1, s-maxage=2, stale-while-revalidate=3, stale-if-error=4, ' +
        'must-revalidate, proxy-revalidate, immutable, no-transform',
    )
    assert.equal(cacheControl({ private: true }), 'private')
  })

  it('rounds times down to whole seconds, and omits directives that are false', () => {
    assert.equal(cacheControl({ maxAge: 1999.9, public: false, immutable: false }), 'max-age=1')
    assert.equal(cacheControl({ maxAge: 0 }), 'max-age=0')
  })

  it('rejects invalid values, unknown options, and public with private', () => {
    assertSetupError(() => loose({ maxAge: -1 }), 'OPTION_INVALID', 'maxAge', 'ms')
    assertSetupError(() => loose({ maxAge: '60' }), 'OPTION_INVALID', 'maxAge')
    assertSetupError(() => loose({ maxAge: Infinity }), 'OPTION_INVALID', 'maxAge')
    assertSetupError(() => loose({ noStore: 1 }), 'OPTION_INVALID', 'noStore')
    assertSetupError(() => loose({ maxage: 1 }), 'OPTION_INVALID', 'maxage', 'maxAge')
    assertSetupError(() => loose({ public: true, private: true }), 'OPTION_INVALID', 'private')
  })
})
