/** Signed and sealed cookie content: keys, purposes, tampering, expiry and algorithms. */
import assert from 'node:assert/strict'
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { describe, it, mock } from 'node:test'
import fc from 'fast-check'
import { sealedCode, signedCode, type CookieCode } from '#src/features/session/cookie-code.js'
import { KEY, OTHER_KEY } from '#test/browser-client.js'

const LATER = 4_000_000_000_000
const CODINGS = { signing: signedCode, sealing: sealedCode }

function read(code: CookieCode, text: string): string | undefined {
  return code.read(text)?.content.toString()
}

for (const [name, coding] of Object.entries(CODINGS)) {
  const code = coding([KEY], 'a cookie')
  const written = code.write({ content: Buffer.from('ada'), end: LATER })

  describe(`${name}()`, () => {
    it('returns any content and its expiry time from a string of cookie-safe characters', () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ maxLength: 300 }),
          fc.integer({ min: Date.now() + 60_000, max: 2 ** 48 - 1 }),
          (bytes, end) => {
            const text = code.write({ content: Buffer.from(bytes), end })
            assert.match(text, /^[\w-]+$/)
            assert.deepEqual(code.read(text), { content: Buffer.from(bytes), end })
          },
        ),
      )
    })

    it('rejects a string with a changed bit, a truncated or extended string, and another encoding', () => {
      const bytes = Buffer.from(written, 'base64url')
      for (let at = 0; at < bytes.length * 8; at++) {
        const changed = Buffer.from(bytes)
        changed[at >> 3] = Number(bytes[at >> 3]) ^ (1 << (at & 7))
        assert.equal(code.read(changed.toString('base64url')), undefined, `bit ${at}`)
      }
      for (let length = 0; length < written.length; length++) {
        assert.equal(code.read(written.slice(0, length)), undefined, `${length} characters`)
        assert.equal(code.read(written.slice(length + 1)), undefined, `without ${length + 1} characters`)
      }
      const others = [
        `${written}A`,
        `${written}=`,
        ` ${written}`,
        `${written} `,
        `${written}\n`,
        `"${written}"`,
        `.${written}`,
      ]
      for (const text of [...others, bytes.toString('base64'), bytes.toString('hex'), `${written}${written}`]) {
        if (text !== written) assert.equal(code.read(text), undefined, text)
      }
    })

    it('rejects random strings', () => {
      const text = fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
      )
      fc.assert(fc.property(text, (made) => assert.equal(code.read(made), undefined)))
    })

    it('rejects strings of another purpose, key or kind', () => {
      for (const other of [coding([KEY], 'a Cookie'), coding([KEY], ''), coding([OTHER_KEY], 'a cookie')]) {
        assert.equal(read(other, written), undefined)
        assert.equal(read(code, other.write({ content: Buffer.from('ada'), end: LATER })), undefined)
      }
      for (const other of Object.values(CODINGS).filter((each) => each !== coding)) {
        assert.equal(read(other([KEY], 'a cookie'), written), undefined)
      }
    })

    it('writes with the first key and reads with all keys', () => {
      const rotated = coding([OTHER_KEY, KEY], 'a cookie')
      assert.equal(read(rotated, written), 'ada')
      const fresh = rotated.write({ content: Buffer.from('ben'), end: LATER })
      assert.deepEqual([read(code, fresh), read(coding([OTHER_KEY], 'a cookie'), fresh)], [undefined, 'ben'])
    })

    it('rejects a string after its expiry time', (test) => {
      test.after(() => mock.timers.reset())
      mock.timers.enable({ apis: ['Date'], now: LATER - 1 })
      assert.equal(read(code, written), 'ada')
      mock.timers.tick(1)
      assert.equal(read(code, written), undefined)
    })
  })
}

describe('cookie algorithms', () => {
  const keyOf = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', KEY, '', `verbena ${purpose}`, 32))

  it('signs with HMAC-SHA-256 and derives keys with HKDF and SHA-256', () => {
    const bytes = Buffer.from(signedCode([KEY], 'c').write({ content: Buffer.from('ada'), end: LATER }), 'base64url')
    const [content, mac] = [bytes.subarray(0, -32), bytes.subarray(-32)]
    assert.deepEqual(mac, createHmac('sha256', keyOf('signed c')).update(content).digest())
    assert.deepEqual([content.readUIntBE(0, 6), content.subarray(6).toString()], [LATER, 'ada'])
  })

  it('seals with AES-256-GCM and a new nonce for each string', () => {
    const code = sealedCode([KEY], 'c')
    const texts = Array.from({ length: 100 }, () => code.write({ content: Buffer.from('ada'), end: LATER }))
    assert.equal(new Set(texts.map((text) => text.slice(0, 16))).size, 100)
    const bytes = Buffer.from(String(texts[0]), 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', keyOf('sealed c'), bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(-16))
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
    assert.deepEqual([plain.readUIntBE(0, 6), plain.subarray(6).toString()], [LATER, 'ada'])
  })
})
