/** Content codings that this Node version supports (RFC 9110 section 8.4.1), for complete bodies and for streams. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Content codings for compressed responses. */
export type ContentCoding = 'zstd' | 'br' | 'gzip'

type EncodedBytes = string | Uint8Array
/** A compression stream that flushes after each chunk. */
export type Coder = zlib.Gzip | zlib.BrotliCompress

export interface CodingWriter {
  readonly whole: (data: EncodedBytes) => Promise<Uint8Array>
  readonly stream: () => Coder
}

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants

/** Higher qualities take ten times as long and save only another tenth. */
const QUALITY = { [BROTLI_PARAM_QUALITY]: 4 }
/** An open stream keeps its window in memory. 64 kB replaces Brotli's default of 4 MB. */
const STREAM_OPTIONS = { ...QUALITY, [BROTLI_PARAM_LGWIN]: 16 }

const gzip = promisify<EncodedBytes, Buffer>(zlib.gzip)
const brotli = promisify<EncodedBytes, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

const WRITERS = new Map<ContentCoding, CodingWriter>([
  ['br', { whole: (data) => brotli(data, { params: QUALITY }), stream: brotliStream }],
  ['gzip', { whole: gzip, stream: () => zlib.createGzip({ flush: Z_SYNC_FLUSH }) }],
])

function brotliStream(): Coder {
  return zlib.createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params: STREAM_OPTIONS })
}

const compress: unknown = Reflect.get(zlib, 'zstdCompress')
const createStream: unknown = Reflect.get(zlib, 'createZstdCompress')
/* c8 ignore start -- only Node 22.15 and later have it */
if (typeof compress === 'function' && typeof createStream === 'function') {
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush')
  const windowLog = String(Reflect.get(zlib.constants, 'ZSTD_c_windowLog'))
  // Proof: these are the signatures in Node's documentation.
  const encodeWhole = promisify(
    compress as (data: EncodedBytes, done: (error: Error | null, bytes: Buffer) => void) => void,
  )
  const stream = (): Coder => (createStream as (options: object) => Coder)({ flush, params: { [windowLog]: 17 } })
  WRITERS.set('zstd', { whole: encodeWhole, stream })
}
/* c8 ignore stop */

/** Returns `undefined` if this Node version does not support the coding. */
export function createEncoder(coding: ContentCoding): CodingWriter | undefined {
  return WRITERS.get(coding)
}
