/** Multipart bodies for tests, and two reference parsers that read a complete body. */
import busboy from 'busboy'
import { Readable } from 'node:stream'

/** A part, as bytes. */
export interface WrittenPart {
  /** Header lines of the part, without the last line break. */
  readonly head: string
  readonly data: Buffer
}

/** Result of a parser. */
export interface ReadBody {
  readonly parts: readonly WrittenPart[]
  /** Whether the body is complete and well-formed. */
  readonly isWhole: boolean
}

/** Formats a body. */
export function writeForm(boundary: string, parts: readonly WrittenPart[], epilogue = '\r\n'): Buffer {
  const pieces = parts.flatMap(({ head, data }) => [
    `--${boundary}\r\n${head === '' ? '' : `${head}\r\n`}\r\n`,
    data,
    '\r\n',
  ])
  return Buffer.concat([...pieces, `--${boundary}--${epilogue}`].map((piece) => Buffer.from(piece)))
}

/** Builds a form field. */
export function field(name: string, data: string | Buffer, rest = ''): WrittenPart {
  return { head: `Content-Disposition: form-data; name="${name}"${rest}`, data: Buffer.from(data) }
}

/** Builds a file part. */
export function file(name: string, filename: string, data: string | Buffer, type = 'text/plain'): WrittenPart {
  return field(name, data, `; filename="${filename}"\r\nContent-Type: ${type}`)
}

/** Parses a complete body, following the grammar of RFC 2046 section 5.1.1 literally. */
export function readNaively(body: Buffer, boundary: string): ReadBody {
  // The first delimiter may be at the start of the body, without a line break before it.
  const text = `\r\n${body.toString('latin1')}`
  const parts: WrittenPart[] = []
  let at = text.indexOf(`\r\n--${boundary}`)
  for (;;) {
    const line = at < 0 ? null : /^(?:--|[ \t]*\r\n)/.exec(text.slice(at + boundary.length + 4))?.[0]
    if (line === '--') return { parts, isWhole: true }
    if (line === null || line === undefined) return { parts, isWhole: false }
    // In a part without headers, the line break of the delimiter can be the first half of the empty line.
    const begin = at + boundary.length + 4 + line.length - 2
    const end = text.indexOf('\r\n\r\n', begin)
    if (end < 0) return { parts, isWhole: false }
    at = text.indexOf(`\r\n--${boundary}`, end + 2)
    const data = at < 0 ? '' : text.slice(end + 4, at)
    if (at >= 0) parts.push({ head: text.slice(begin + 2, end), data: Buffer.from(data, 'latin1') })
  }
}

/** Parses a body with busboy; returns the name, the file name and the bytes of each part. */
export async function readByBusboy(
  body: Buffer,
  contentType: string,
): Promise<(readonly [string, string | null, string])[]> {
  const parts: Promise<readonly [string, string | null, string]>[] = []
  const parser = busboy({ headers: { 'content-type': contentType }, defParamCharset: 'utf8' })
  parser.on('field', (name, value) => parts.push(Promise.resolve([name, null, Buffer.from(value).toString('hex')])))
  parser.on('file', (name, stream, { filename }) => {
    parts.push(stream.toArray().then((chunks) => [name, filename ?? '', Buffer.concat(chunks).toString('hex')]))
  })
  const closed = new Promise((resolve, reject) => parser.on('close', resolve).on('error', reject))
  Readable.from([body]).pipe(parser)
  await closed
  return Promise.all(parts)
}
