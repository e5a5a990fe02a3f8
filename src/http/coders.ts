/** Content codings that Node can write (RFC 9110 section 8.4.1): as a whole, and item by item. What differs between its versions stands here. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** The content codings by which an answer can be compressed. */
export type ContentCoding = 'zstd' | 'br' | 'gzip'

type EncodedBytes = string | Uint8Array
/** A stream that compresses, and writes out what it has after each item. */
export type Coder = zlib.Gzip | zlib.BrotliCompress

export interface CodingWriter {
  readonly whole: (data: EncodedBytes) => Promise<Uint8Array>
  readonly stream: () => Coder
}

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants

/** Higher ones take ten times as long for a tenth less. */
const QUALITY = { [BROTLI_PARAM_QUALITY]: 4 }
/** A stream holds its window as long as it is open: 64 kB, where Brotli would take 4 MB. */
const OF_STREAM = { ...QUALITY, [BROTLI_PARAM_LGWIN]: 16 }

const gzip = promisify<EncodedBytes, Buffer>(zlib.gzip)
const brotli = promisify<EncodedBytes, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

const WRITERS = new Map<ContentCoding, CodingWriter>([
  ['br', { whole: (data) => brotli(data, { params: QUALITY }), stream: brotliStream }],
  ['gzip', { whole: gzip, stream: () => zlib.createGzip({ flush: Z_SYNC_FLUSH }) }],
])

function brotliStream(): Coder {
  return zlib.createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params: OF_STREAM })
}

const compress: unknown = Reflect.get(zlib, 'zstdCompress')
const createStream: unknown = Reflect.get(zlib, 'createZstdCompress')
/* c8 ignore start -- Node has it from version 22.15 on */
if (typeof compress === 'function' && typeof createStream === 'function') {
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush')
  const windowLog = String(Reflect.get(zlib.constants, 'ZSTD_c_windowLog'))
  // Proof: this is what Node documents of both.
  const encodeWhole = promisify(
    compress as (data: EncodedBytes, done: (error: Error | null, bytes: Buffer) => void) => void,
  )
  const stream = (): Coder => (createStream as (options: object) => Coder)({ flush, params: { [windowLog]: 17 } })
  WRITERS.set('zstd', { whole: encodeWhole, stream })
}
/* c8 ignore stop */

/** The writer of a coding; `undefined` where this Node has none. */
export function createEncoder(coding: ContentCoding): CodingWriter | undefined {
  return WRITERS.get(coding)
}
