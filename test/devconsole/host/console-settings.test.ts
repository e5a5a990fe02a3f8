import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConsoleSettings } from '#src/devconsole/host/console-settings.js'
import { SetupError } from '#src/errors/setup-error.js'
import { TrustedProxies } from '#src/http/forwarded.js'

const proxies = new TrustedProxies([])

describe('readConsoleSettings()', () => {
  it('captures bodies only in development by default', () => {
    const captured = (options: object, isDevelopment: boolean) =>
      readConsoleSettings({ options, isDevelopment, proxies }).captureBodies
    assert.equal(captured({}, true), 'text')
    assert.equal(captured({}, false), 'off')
    assert.equal(captured({ allow: ['10.0.0.1'], token: 'x' }, true), 'off')
    assert.equal(captured({ allow: ['10.0.0.1'], captureBodies: 'raw' }, true), 'raw')
    assert.equal(captured({ captureBodies: 'off' }, true), 'off')
  })

  it('links to records in development, unless "header" decides', () => {
    const places = (options: object, isDevelopment: boolean) =>
      readConsoleSettings({ options, isDevelopment, proxies }).links
    assert.deepEqual([places({}, true), places({}, false)], ['header', 'off'])
    assert.deepEqual([places({ header: false }, true), places({ header: false }, false)], ['log', 'off'])
    assert.equal(places({ header: true }, false), 'header')
  })

  it('limits the stored bodies to 256 kB by default and to 1 MB at most', () => {
    const limit = (options: object) => readConsoleSettings({ options, isDevelopment: true, proxies }).bodyLimit
    assert.deepEqual([limit({}), limit({ bodyLimit: 0 }), limit({ bodyLimit: 10 ** 9 })], [256 * 1024, 0, 1024 * 1024])
  })

  it('matches ignored paths with wildcards', () => {
    const { ignores } = readConsoleSettings({
      options: { ignore: ['/health*', '/a/*/c', '*.png', '/exact', '/x*y*z'] },
      isDevelopment: true,
      proxies,
    })
    assert.ok(ignores !== null)
    for (const path of ['/health', '/healthz/x', '/a/b/c', '/a/b/x/c', '/x.png', '/exact', '/x1y2z'])
      assert.ok(ignores(path), path)
    for (const path of ['/heal', '/a/c', '/a/b/d', '/x.jpg', '/exact/x', '/', '/x1z', '/xz'])
      assert.ok(!ignores(path), path)
  })

  it('matches a pattern with many wildcards in linear time', () => {
    const { ignores } = readConsoleSettings({ options: { ignore: ['*a'.repeat(300)] }, isDevelopment: true, proxies })
    assert.ok(ignores !== null)
    const began = performance.now()
    assert.ok(!ignores('a'.repeat(8_000) + 'b'))
    assert.ok(performance.now() - began < 1_000)
  })

  it('allows only the networks in "allow"', () => {
    const open = readConsoleSettings({ options: { allow: ['172.17.0.0/16'] }, isDevelopment: true, proxies })
    assert.ok(open.allows('172.17.3.4'))
    assert.ok(open.allows('::ffff:172.17.3.4'))
    assert.ok(!open.allows('172.18.0.1'))
    const closed = readConsoleSettings({ options: {}, isDevelopment: true, proxies })
    assert.ok(!closed.allows('127.0.0.1'))
    assert.equal(closed.ignores, null)
    assert.throws(
      () => readConsoleSettings({ options: { allow: ['nowhere'] }, isDevelopment: true, proxies }),
      SetupError,
    )
  })
})
