/** Decoders of Node. The Zstandard decoder is missing in older versions. */
import zlib from 'node:zlib'

export const { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } = zlib

const decode: unknown = Reflect.get(zlib, 'zstdDecompressSync')

/** `null` before Node 22.15. */
export const zstdDecompressSync: ((bytes: Uint8Array) => Buffer) | null =
  // Proof: the signature in Node's documentation.
  typeof decode === 'function' ? (decode as (bytes: Uint8Array) => Buffer) : null
