import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from 'verbena'
import { parsePartHead } from '#src/features/multipart/part-head.js'
import { processorTime } from '#test/processor-time.js'

const DISPOSITION = 'Content-Disposition: form-data'
const read = (head: string | Buffer) => parsePartHead(Buffer.from(head))
const named = (rest: string): string => `${DISPOSITION}; name="a"; ${rest}`

/** Parameters after `name="a"`, and the expected file name. */
const FILENAMES: readonly (readonly [about: string, rest: string, filename: string])[] = [
  ['quoted', 'filename="a b.txt"', 'a b.txt'],
  ['a token', 'filename=a.txt', 'a.txt'],
  ['with spaces around the equals sign', 'filename = "a b.txt"', 'a b.txt'],
  ['a token after a tab', 'filename\t=\t a.txt ; x = "y"', 'a.txt'],
  ['on the next line', 'filename =\r\n "a.txt"', 'a.txt'],
  ['extended, with spaces', "filename* = UTF-8''a%20b.txt", 'a b.txt'],
  ['with an equals sign in it', 'filename = "a = b.txt"', 'a = b.txt'],
  ['empty', 'filename=""', ''],
  ['in UTF-8', 'filename="grün €.txt"', 'grün €.txt'],
  ['with the escapes of browsers', 'filename="%22a%0D%0ab%22"', '"a\r\nb"'],
  ['with other percent signs', 'filename="100%25 %41"', '100%25 %41'],
  ['with quoted pairs', 'filename="a\\"b.txt"', 'a"b.txt'],
  ['with a semicolon', 'filename="a;b.txt"; x=y', 'a;b.txt'],
  ['below directories', 'filename="../../etc/passwd"', 'passwd'],
  ['below Windows directories', 'filename="C:\\dir\\a.txt"', 'a.txt'],
  ['on a drive', 'filename="c:a.txt"', 'a.txt'],
  ['a directory', 'filename="a/"', ''],
  ['the parent directory', 'filename=".."', ''],
  ['the current directory', 'filename="x/."', ''],
  ['extended (RFC 8187)', "filename*=UTF-8''%e2%82%ac%20rates", '€ rates'],
  ['extended, with a language', "filename*=utf-8'en'a.txt", 'a.txt'],
  ['extended and plain', 'filename="b.txt"; filename*=UTF-8\'\'c.txt', 'c.txt'],
  ['extended, below encoded directories', "filename*=UTF-8''..%2f..%5ca.txt", 'a.txt'],
  ['plain if the extended name has an unsupported charset', "filename=b; filename*=latin1''%e4", 'b'],
  ['plain if the extended name is not UTF-8', "filename=b; filename*=UTF-8''%ff", 'b'],
  ['plain if the extended name has a control character', "filename=b; filename*=UTF-8''%00", 'b'],
]

/** Rejected headers, and the expected error. */
const REFUSED: readonly (readonly [about: string, head: string | Buffer, why: RegExp])[] = [
  ['an empty header section', '', /has no name/],
  ['another disposition', 'Content-Disposition: attachment; name="a"', /has no name/],
  ['no parameters', DISPOSITION, /has no name/],
  ['no name', `${DISPOSITION}; filename="a"`, /has no name/],
  ['a repeated name', named('name="b"'), /parameter "name" twice/],
  ['an unterminated quoted string', `${DISPOSITION}; name="a`, /malformed "Content-Disposition"/],
  ['a parameter without a value', `${DISPOSITION}; name = `, /malformed "Content-Disposition"/],
  ['a value without a name', `${DISPOSITION}; = "a"`, /malformed "Content-Disposition"/],
  ['two values', `${DISPOSITION}; name=a b`, /malformed "Content-Disposition"/],
  ['a repeated header', `${named('')}\r\n${named('')}`, /header "Content-Disposition" twice/],
  ['a line without a colon', `${named('')}\r\nnothing`, /has malformed headers/],
  ['a line without a name', `${named('')}\r\n: a`, /has malformed headers/],
  ['a header name that is not a token', `${named('')}\r\nA B: c`, /has malformed headers/],
  ['a line feed without CR', `${named('')}\nA: b`, /has malformed headers/],
  ['a NUL byte', named('filename="a\0b"'), /has malformed headers/],
  ['bytes that are not UTF-8', Buffer.from([0x41, 0x3a, 0xff]), /are not valid UTF-8/],
  ['a malformed extended name', named("filename*=UTF-8''%zz"), /malformed "filename\*"/],
  ['a long name', `${DISPOSITION}; name="${'a'.repeat(257)}"`, /name of more than 256 characters/],
  ['a long file name', named(`filename="${'a'.repeat(1025)}"`), /file name of more than 1024 characters/],
  [
    '17 headers',
    [named(''), ...Array.from({ length: 16 }, (_, at) => `A${at}: b`)].join('\r\n'),
    /more than 16 headers/,
  ],
]

describe('parsePartHead()', () => {
  it('parses the headers of a field', () => {
    const { name, filename, type, media } = read(`${DISPOSITION}; name="a%22b"`)
    assert.deepEqual([name, filename, type, media.essence], ['a"b', undefined, 'text/plain', 'text/plain'])
  })

  it('accepts names in any case, spaces, folded lines and extra semicolons', () => {
    const head = 'content-DISPOSITION:Form-Data ;\r\n\tNAME="x";;\r\nX: y'
    assert.equal(read(head).name, 'x')
  })

  it('accepts an empty name, 16 headers and names of maximum length', () => {
    const others = Array.from({ length: 15 }, (_, at) => `A${at}: b`)
    assert.equal(read([`${DISPOSITION}; name=""`, ...others].join('\r\n')).name, '')
    assert.equal(read(`${DISPOSITION}; name="${'a'.repeat(256)}"; filename="${'a'.repeat(1024)}"`).name.length, 256)
  })

  for (const [about, rest, filename] of FILENAMES) {
    it(`parses a file name: ${about}`, () => {
      assert.equal(read(named(rest)).filename, filename)
    })
  }

  it('parses the media type; a missing or malformed type of a file is application/octet-stream', () => {
    const typeOf = (line: string): string[] => {
      const { type, media } = read(`${named('filename="b"')}${line}`)
      return [type, media.essence]
    }
    assert.deepEqual(typeOf('\r\nContent-Type: text/CSV; charset=x'), ['text/CSV; charset=x', 'text/csv'])
    const blanks = 'image/png ; name = "a = \\"b" ;\tcharset\t=utf-8'
    assert.deepEqual(typeOf(`\r\nContent-Type: ${blanks}`), [blanks, 'image/png'])
    for (const line of ['', '\r\nContent-Type: image/png; a = "b', '\r\nContent-Type: text', '\r\nContent-Type:']) {
      assert.deepEqual(typeOf(line), ['application/octet-stream', 'application/octet-stream'])
    }
  })

  it('rejects the transfer encoding base64 with 415, and accepts binary', () => {
    assert.equal(read(`${named('')}\r\nContent-Transfer-Encoding: BINARY`).name, 'a')
    assert.throws(() => read(`${named('')}\r\nContent-Transfer-Encoding: base64`), {
      status: 415,
      extensions: { part: 'a' },
    })
  })

  for (const [about, head, why] of REFUSED) {
    it(`rejects ${about}`, () => {
      assert.throws(
        () => read(head),
        (error: unknown) => error instanceof HttpError && error.status === 400 && why.test(error.message),
      )
    })
  }

  it('runs in linear time on headers with thousands of spaces', () => {
    const blanks = ' '.repeat(7_000)
    const time = processorTime(() => {
      for (let run = 0; run < 100; run++) {
        read(`${named('filename="b"')}\r\nX: a${blanks}b`)
        read(`${named('filename="b"')}\r\nContent-Type: a/b${blanks}b`)
        assert.throws(() => read(named(`x${blanks}y`)))
      }
    })
    // Linear work takes a few ms, quadratic work 15 s.
    assert.ok(time < 3_000, `${time} ms`)
  })
})
