/** Finds a file in the best encoding for a client, and builds its response headers. */
import { acceptedCodings } from '../../http/accept-encoding.js'
import { CODINGS } from '../../http/codings.js'
import type { ConditionalHeaders } from '../../http/conditions.js'
import type { HeaderMap } from '../../http/fields.js'
import { filePayload, type FilePayload } from './file-part.js'
import { isCompressible } from './media-types.js'
import { openFile, type OpenFile, type Root } from './open-file.js'

const RANKED = [...CODINGS].toSorted(([, a], [, b]) => a.fileRank - b.fileRank)
/** File extensions by content coding, in order of preference. */
const EXTENSIONS = new Map(RANKED.map(([coding, { extension }]) => [coding, extension]))

/** A requested file, which may not exist. */
export interface WantedFile {
  readonly path: string
  readonly type: string
  /** Directory that must contain the file; `null` allows any path. */
  readonly root: Root | null
}

interface FoundFile {
  readonly file: OpenFile
  /** Content coding; `identity` if the file is not compressed. */
  readonly coding: string
}

/** Opens a file, or a compressed version next to it. Returns `'folder'` for a directory, and `null` if the file does not exist. */
export async function findFile(
  wanted: WantedFile,
  conditions: ConditionalHeaders,
): Promise<FoundFile | 'folder' | null> {
  const { path, type, root } = wanted
  const codings = isCompressible(type)
    ? acceptedCodings(conditions.header('accept-encoding'), [...EXTENSIONS.keys()])
    : []
  for (const coding of codings) {
    if (coding === 'identity') break
    const file = await openFile(`${path}${EXTENSIONS.get(coding)}`, root)
    if (file !== null && file !== 'folder') return { file, coding }
  }
  const file = await openFile(path, root)
  return typeof file === 'object' && file !== null ? { file, coding: 'identity' } : file
}

/** Time after a change during which the ETag is weak, in ms: the file may change again with the same timestamp (RFC 9110 section 8.8.1). */
const MOMENT = 2000

/** Headers and payload of a file. */
export interface FileParts {
  readonly headers: HeaderMap
  readonly payload: FilePayload
}

/** Builds the headers and the payload of a file. `known` contains headers to start with. */
export function fileParts({ file, coding }: FoundFile, type: string, known: HeaderMap): FileParts {
  const { handle, stats } = file
  const size = Number(stats.size)
  const isEncoded = coding !== 'identity'
  const isFresh = Date.now() - Number(stats.mtimeMs) < MOMENT
  const tag = `${stats.size.toString(36)}-${stats.mtimeNs.toString(36)}${isEncoded ? `;${coding}` : ''}`
  const headers = new Map(known)
  headers.set('content-length', String(size)).set('accept-ranges', 'bytes')
  headers.set('etag', `${isFresh ? 'W/' : ''}"${tag}"`)
  // `Last-Modified` must not be later than `Date` (RFC 9110 section 8.8.2.1).
  headers.set('last-modified', new Date(Math.min(Number(stats.mtimeMs), Date.now())).toUTCString())
  if (isEncoded) headers.set('content-encoding', coding)
  if (isCompressible(type)) headers.set('vary', 'accept-encoding')
  return { headers, payload: filePayload({ handle, size, type }) }
}
