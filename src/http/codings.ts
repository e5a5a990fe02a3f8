/** Table of content codings (RFC 9110 section 8.4.1): how to compress complete bodies and streams, and names of compressed files. */
import { promisify } from 'node:util'
import type zlib from 'node:zlib'

/** Content codings for compressed responses. */
export type ContentCoding = 'zstd' | 'br' | 'gzip'

/** The module is passed in, because only apps that compress responses should load it. */
type Zlib = typeof zlib
type EncodedBytes = string | Uint8Array
/** A compression stream that flushes after each chunk. */
export type Coder = zlib.Gzip | zlib.BrotliCompress

export interface CodingWriter {
  readonly whole: (data: EncodedBytes) => Promise<Uint8Array>
  readonly stream: () => Coder
}

interface Coding {
  /** Returns `undefined` if this Node version does not support the coding. */
  readonly createWriter: (zlib: Zlib) => CodingWriter | undefined
  /** Extension of a compressed file next to the original. */
  readonly extension: string
  /** Rank among compressed files, smallest files first, because they are compressed only once. */
  readonly fileRank: number
}

/** In order of preference for responses: the least time for the same size first. */
const TABLE: Readonly<Record<ContentCoding, Coding>> = {
  zstd: { createWriter: zstdWriter, extension: '.zst', fileRank: 2 },
  br: { createWriter: brotliWriter, extension: '.br', fileRank: 1 },
  gzip: { createWriter: gzipWriter, extension: '.gz', fileRank: 3 },
}

export const CODINGS: ReadonlyMap<string, Coding> = new Map(Object.entries(TABLE))

function brotliWriter(zlib: Zlib): CodingWriter {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_OPERATION_FLUSH: flush } = zlib.constants
  const encodeWhole = promisify<EncodedBytes, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
  // Higher qualities take ten times as long and save only another tenth.
  const params = { [BROTLI_PARAM_QUALITY]: 4 }
  // An open stream keeps its window in memory. 64 kB replaces Brotli's default of 4 MB.
  const options = { flush, params: { ...params, [BROTLI_PARAM_LGWIN]: 16 } }
  return { whole: (data) => encodeWhole(data, { params }), stream: () => zlib.createBrotliCompress(options) }
}

function gzipWriter(zlib: Zlib): CodingWriter {
  const encodeWhole = promisify<EncodedBytes, Buffer>(zlib.gzip)
  return { whole: encodeWhole, stream: () => zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH }) }
}

/** Node 22.15 and later have Zstandard, but not the types of Node 20. */
function zstdWriter(zlib: Zlib): CodingWriter | undefined {
  /* c8 ignore start -- depends on the Node version */
  const compress: unknown = Reflect.get(zlib, 'zstdCompress')
  const createStream: unknown = Reflect.get(zlib, 'createZstdCompress')
  if (typeof compress !== 'function' || typeof createStream !== 'function') return undefined
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush')
  const windowLog = String(Reflect.get(zlib.constants, 'ZSTD_c_windowLog'))
  // Proof: these are the signatures in Node's documentation.
  const encodeWhole = promisify(
    compress as (data: EncodedBytes, done: (error: Error | null, bytes: Buffer) => void) => void,
  )
  const stream = (): Coder => (createStream as (options: object) => Coder)({ flush, params: { [windowLog]: 17 } })
  return { whole: encodeWhole, stream }
}
/* c8 ignore stop */
