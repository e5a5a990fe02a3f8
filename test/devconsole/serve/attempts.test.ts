import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Attempts, networkOf } from '#src/devconsole/serve/attempts.js'

describe('Attempts', () => {
  it('takes one a second of each client', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('10.0.0.1', 0))
    assert.ok(!attempts.take('10.0.0.1', 999))
    assert.ok(attempts.take('10.0.0.2', 999))
    assert.ok(attempts.take('10.0.0.1', 1_000))
    assert.ok(!attempts.take('10.0.0.1', 1_999))
  })

  it('counts a refused attempt for nothing: who goes on trying is let in after a second', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('10.0.0.1', 0))
    for (let now = 100; now < 1_000; now += 100) assert.ok(!attempts.take('10.0.0.1', now))
    assert.ok(attempts.take('10.0.0.1', 1_000))
  })

  it('makes nobody wait for a clock that was set back', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('10.0.0.1', 1_000_000))
    assert.ok(attempts.take('10.0.0.1', 5_000))
  })

  it('remembers each client for a second, and a thousand at most', () => {
    const attempts = new Attempts()
    for (let client = 0; client < 5_000; client++) attempts.take(`10.0.${client >> 8}.${client & 255}`, client / 100)
    assert.ok(attempts.size <= 1_000, String(attempts.size))
    assert.ok(!attempts.take('10.0.19.135', 50))
    attempts.take('10.1.0.1', 5_000)
    assert.equal(attempts.size, 1)
  })

  it('takes a /64 of IPv6 for one client', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('2001:db8::1', 0))
    assert.ok(!attempts.take('2001:db8:0:0:ffff::2', 0))
    assert.ok(attempts.take('2001:db8:0:1::1', 0))
  })
})

describe('networkOf()', () => {
  it('names the network of an address', () => {
    for (const [address, network] of [
      ['10.0.0.1', '10.0.0.1'],
      ['::ffff:10.0.0.1', '10.0.0.1'],
      ['::1', '0:0:0:0'],
      ['2001:DB8:a:b:1:2:3:4', '2001:db8:a:b'],
      ['2001:db8::5:6:7:8:9', '2001:db8:0:5'],
      ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
      ['fe80::1%eth0', 'fe80:0:0:0'],
      ['', ''],
      ['unknown', 'unknown'],
    ] as const) {
      assert.equal(networkOf(address), network)
    }
  })
})
