import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hideForms } from '#src/secrets/secret-forms.js'
import { assertLinear } from '#test/processor-time.js'

const HIDDEN: readonly (readonly [text: string, shown: string])[] = [
  ['postgres://ann:pa/ss@host', 'postgres://redacted@host'],
  ['https://ann:p@ss/word@host/x', 'https://redacted@host/x'],
  ['see https://ann:p?a#b@host and a@b', 'see https://redacted@host and a@b'],
  ['{"url":"https://ann:p/w@h","mail":"a@b"}', '{"url":"https://redacted@h","mail":"a@b"}'],
  ['http://a/?to=https://ann:p/w@h', 'http://a/?to=https://redacted@h'],
  ['redis://ann:123/45@host', 'redis://redacted@host'],
  ['a://u:p@h b://u:p@h', 'a://redacted@h b://redacted@h'],
  ['https://ann:p"w@h', 'https://redacted@h'],
  ['https://ann@host/x@y', 'https://redacted@host/x@y'],
  ['https://ann:12345@host/', 'https://redacted@host/'],
  ['://:p/w@h', '://redacted@h'],
  ['Basic YW5uOmh1bnRlcjI= x', 'redacted x'],
]
const SHOWN = [
  ...['http://localhost:3000/@vite/client', 'https://host:8080/a@b', 'wss://host:1/?a@b', 'http://[::1]:3000/@x'],
  ...['https://example.com/a@b', 'see http://a and c@d', 'postgres://db:5432/x a@b', 'http://', 'Basic authentication'],
]

describe('hideForms()', () => {
  it('hides the user info of URLs, with any characters in the password, and basic credentials', () => {
    for (const [text, shown] of HIDDEN) assert.equal(hideForms(text), shown)
  })

  it('keeps ports, paths and ordinary words', () => {
    for (const text of SHOWN) assert.equal(hideForms(text), text)
  })

  it('takes time linear in the length of the string', () => {
    for (const part of ['://a:', '://', '@', '://a@', '://a:b@', 'x://a:1/', 'a://u:/ ', 'basic ', 'basic YTpi ']) {
      const prepare = (size: number) => {
        const text = `${part.repeat(size / part.length)} @`
        return () => void hideForms(text)
      }
      assertLinear(200_000, prepare, part)
    }
  })
})
