/** Networks of clients. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toNetwork, plainAddress } from '#src/http/network.js'

describe('toNetwork()', () => {
  const NETWORKS: readonly (readonly [address: string, network: string])[] = [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['::ffff:192.0.2.33', '192.0.2.33'],
    ['::FFFF:c000:221', '192.0.2.33'],
    ['0:0:0:0:0:ffff:0:0', '0.0.0.0'],
    ['::ffff:255.255.255.255', '255.255.255.255'],
    ['::fffe:192.0.2.33', '0:0:0:0::/64'],
    ['1::ffff:192.0.2.33', '1:0:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['[2001:DB8::2]:443', '2001:db8:0:0::/64'],
    ['[::ffff:192.0.2.33]:65535', '192.0.2.33'],
    ['[2001:db8::1]:', '[2001:db8::1]:'],
    ['[2001:db8::1]:123456', '[2001:db8::1]:123456'],
    ['[2001:db8::1] a', '[2001:db8::1] a'],
    ['[2001:db8::1', '[2001:db8::1'],
    ['[192.0.2.33]', '[192.0.2.33]'],
    ['["a"]', '["a"]'],
    ['192.0.2.33', '192.0.2.33'],
    ['ada', 'ada'],
    ['1::2::3', '1::2::3'],
  ]
  for (const [address, network] of NETWORKS) {
    it(`returns ${network} for ${address}`, () => assert.equal(toNetwork(address), network))
  }

  it('returns the same network for all notations of an address', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':')
        const short = new URL(`http://[${long}]`).hostname.slice(1, -1)
        assert.equal(toNetwork(long), toNetwork(short))
        const other = [...groups.slice(0, 4), 1, 2, 3, 4].map((group) => group.toString(16)).join(':')
        if (groups.slice(0, 5).some((group) => group > 0)) assert.equal(toNetwork(other), toNetwork(long))
      }),
    )
  })
})

describe('plainAddress()', () => {
  const ADDRESSES: readonly (readonly [address: string, plain: string])[] = [
    ['::ffff:192.0.2.33', '192.0.2.33'],
    ['::FFFF:c000:221', '192.0.2.33'],
    ['0:0:0:0:0:ffff:127.0.0.1', '127.0.0.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::fffe:192.0.2.33', '::fffe:192.0.2.33'],
    ['192.0.2.33', '192.0.2.33'],
    ['::ffff:x', '::ffff:x'],
    ['', ''],
  ]
  for (const [address, plain] of ADDRESSES) {
    it(`returns "${plain}" for "${address}"`, () => assert.equal(plainAddress(address), plain))
  }
})
