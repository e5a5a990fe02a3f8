import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from 'verbena'
import { parsePartHead } from '#src/features/multipart/part-head.js'
import { processorTime } from '#test/processor-time.js'

const DISPOSITION = 'Content-Disposition: form-data'
const read = (head: string | Buffer) => parsePartHead(Buffer.from(head))
const named = (rest: string): string => `${DISPOSITION}; name="a"; ${rest}`

/** What follows `name="a"`, and the name of the file that comes of it. */
const FILENAMES: readonly (readonly [about: string, rest: string, filename: string])[] = [
  ['quoted', 'filename="a b.txt"', 'a b.txt'],
  ['a token', 'filename=a.txt', 'a.txt'],
  ['with blanks around the equals sign', 'filename = "a b.txt"', 'a b.txt'],
  ['a token after a tab', 'filename\t=\t a.txt ; x = "y"', 'a.txt'],
  ['on the next line', 'filename =\r\n "a.txt"', 'a.txt'],
  ['extended, with blanks', "filename* = UTF-8''a%20b.txt", 'a b.txt'],
  ['with an equals sign in it', 'filename = "a = b.txt"', 'a = b.txt'],
  ['empty', 'filename=""', ''],
  ['in UTF-8', 'filename="grün €.txt"', 'grün €.txt'],
  ['with the escapes of browsers', 'filename="%22a%0D%0ab%22"', '"a\r\nb"'],
  ['with other percents', 'filename="100%25 %41"', '100%25 %41'],
  ['with quoted pairs', 'filename="a\\"b.txt"', 'a"b.txt'],
  ['with a semicolon', 'filename="a;b.txt"; x=y', 'a;b.txt'],
  ['below folders', 'filename="../../etc/passwd"', 'passwd'],
  ['below folders of Windows', 'filename="C:\\dir\\a.txt"', 'a.txt'],
  ['on a drive', 'filename="c:a.txt"', 'a.txt'],
  ['a folder', 'filename="a/"', ''],
  ['the folder above', 'filename=".."', ''],
  ['this folder', 'filename="x/."', ''],
  ['extended (RFC 8187)', "filename*=UTF-8''%e2%82%ac%20rates", '€ rates'],
  ['extended, with a language', "filename*=utf-8'en'a.txt", 'a.txt'],
  ['extended beside a plain one', 'filename="b.txt"; filename*=UTF-8\'\'c.txt', 'c.txt'],
  ['extended, below encoded folders', "filename*=UTF-8''..%2f..%5ca.txt", 'a.txt'],
  ['plain where the extended one has another charset', "filename=b; filename*=latin1''%e4", 'b'],
  ['plain where the extended one is no UTF-8', "filename=b; filename*=UTF-8''%ff", 'b'],
  ['plain where the extended one has a control character', "filename=b; filename*=UTF-8''%00", 'b'],
]

/** Heads that are refused, and what is said of them. */
const REFUSED: readonly (readonly [about: string, head: string | Buffer, why: RegExp])[] = [
  ['nothing', '', /has no name/],
  ['another disposition', 'Content-Disposition: attachment; name="a"', /has no name/],
  ['no parameters', DISPOSITION, /has no name/],
  ['no name', `${DISPOSITION}; filename="a"`, /has no name/],
  ['a name twice', named('name="b"'), /parameter "name" twice/],
  ['a quoted text without an end', `${DISPOSITION}; name="a`, /malformed "Content-Disposition"/],
  ['blanks without a value', `${DISPOSITION}; name = `, /malformed "Content-Disposition"/],
  ['a value without a name', `${DISPOSITION}; = "a"`, /malformed "Content-Disposition"/],
  ['two values', `${DISPOSITION}; name=a b`, /malformed "Content-Disposition"/],
  ['a field twice', `${named('')}\r\n${named('')}`, /field "Content-Disposition" twice/],
  ['a line without a colon', `${named('')}\r\nnothing`, /is malformed/],
  ['a line without a name', `${named('')}\r\n: a`, /is malformed/],
  ['a name that is no token', `${named('')}\r\nA B: c`, /is malformed/],
  ['a line feed alone', `${named('')}\nA: b`, /is malformed/],
  ['NUL', named('filename="a\0b"'), /is malformed/],
  ['no UTF-8', Buffer.from([0x41, 0x3a, 0xff]), /is not valid UTF-8/],
  ['an extended name that cannot be read', named("filename*=UTF-8''%zz"), /malformed "filename\*"/],
  ['a long name', `${DISPOSITION}; name="${'a'.repeat(257)}"`, /name of more than 256 characters/],
  ['a long file name', named(`filename="${'a'.repeat(1025)}"`), /file name of more than 1024 characters/],
  ['17 fields', [named(''), ...Array.from({ length: 16 }, (_, at) => `A${at}: b`)].join('\r\n'), /more than 16 fields/],
]

describe('parsePartHead()', () => {
  it('reads a field', () => {
    const { name, filename, type, media } = read(`${DISPOSITION}; name="a%22b"`)
    assert.deepEqual([name, filename, type, media.essence], ['a"b', undefined, 'text/plain', 'text/plain'])
  })

  it('takes names in any case, blanks, lines that go on, and semicolons too many', () => {
    const head = 'content-DISPOSITION:Form-Data ;\r\n\tNAME="x";;\r\nX: y'
    assert.equal(read(head).name, 'x')
  })

  it('takes a name that is empty, and 16 fields', () => {
    const others = Array.from({ length: 15 }, (_, at) => `A${at}: b`)
    assert.equal(read([`${DISPOSITION}; name=""`, ...others].join('\r\n')).name, '')
    assert.equal(read(`${DISPOSITION}; name="${'a'.repeat(256)}"; filename="${'a'.repeat(1024)}"`).name.length, 256)
  })

  for (const [about, rest, filename] of FILENAMES) {
    it(`reads a file name: ${about}`, () => {
      assert.equal(read(named(rest)).filename, filename)
    })
  }

  it('reads the media type, and takes one that is missing or cannot be read for bytes', () => {
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

  it('refuses a transfer encoding that changes the bytes, with 415', () => {
    assert.equal(read(`${named('')}\r\nContent-Transfer-Encoding: BINARY`).name, 'a')
    assert.throws(() => read(`${named('')}\r\nContent-Transfer-Encoding: base64`), {
      status: 415,
      extensions: { part: 'a' },
    })
  })

  for (const [about, head, why] of REFUSED) {
    it(`refuses ${about}`, () => {
      assert.throws(
        () => read(head),
        (error: unknown) => error instanceof HttpError && error.status === 400 && why.test(error.message),
      )
    })
  }

  it('takes time linear in blanks', () => {
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
