/** Decoders of Node; that of Zstandard only where it has one. */
import zlib from 'node:zlib'

export const { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } = zlib

const decode: unknown = Reflect.get(zlib, 'zstdDecompressSync')

/** `null` before Node 22.15. */
export const zstdDecompressSync: ((bytes: Uint8Array) => Buffer) | null =
  // Proof: this is what Node documents of it.
  typeof decode === 'function' ? (decode as (bytes: Uint8Array) => Buffer) : null
