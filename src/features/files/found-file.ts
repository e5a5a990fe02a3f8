/** A file in the encoding that a client wants, and the fields that tell of it. */
import { codingsFor } from '../../http/accept-encoding.js'
import type { ConditionalHeaders } from '../../http/conditions.js'
import type { HeaderMap } from '../../http/fields.js'
import { filePayload, type FilePayload } from './file-part.js'
import { isCompressible } from './media-types.js'
import { openFile, type OpenFile, type Root } from './open-file.js'

/** What is behind the name of a file by its content coding, the best first. */
const EXTENSIONS: Readonly<Record<string, string>> = { br: '.br', zstd: '.zst', gzip: '.gz' }
const CODINGS = Object.keys(EXTENSIONS)

/** A file that is asked for, before it is known to be there. */
export interface WantedFile {
  readonly path: string
  readonly type: string
  /** `null` where it may lie anywhere. */
  readonly root: Root | null
}

interface FoundFile {
  readonly file: OpenFile
  /** Content coding; `identity` for none. */
  readonly coding: string
}

/** Finds a file, or another one beside it that holds the same, compressed; `folder` for a folder, `null` for nothing. */
export async function findFile(wanted: WantedFile, asked: ConditionalHeaders): Promise<FoundFile | 'folder' | null> {
  const { path, type, root } = wanted
  const codings = isCompressible(type) ? codingsFor(asked.header('accept-encoding'), CODINGS) : []
  for (const coding of codings) {
    if (coding === 'identity') break
    const file = await openFile(path + EXTENSIONS[coding], root)
    if (file !== null && file !== 'folder') return { file, coding }
  }
  const file = await openFile(path, root)
  return typeof file === 'object' && file !== null ? { file, coding: 'identity' } : file
}

/** What was changed a moment ago may change once more without another date: then its tag is weak (RFC 9110 section 8.8.1). */
const MOMENT = 2000

/** The head and the content of a file. */
export interface FileParts {
  readonly headers: HeaderMap
  readonly payload: FilePayload
}

/** `known` are fields that the author gives. */
export function fileParts({ file, coding }: FoundFile, type: string, known: HeaderMap): FileParts {
  const { handle, stats } = file
  const size = Number(stats.size)
  const isEncoded = coding !== 'identity'
  const isFresh = Date.now() - Number(stats.mtimeMs) < MOMENT
  const tag = `${stats.size.toString(36)}-${stats.mtimeNs.toString(36)}${isEncoded ? `;${coding}` : ''}`
  const headers = new Map(known)
  headers.set('content-length', String(size)).set('accept-ranges', 'bytes')
  headers.set('etag', `${isFresh ? 'W/' : ''}"${tag}"`)
  // It must not be later than `Date` (RFC 9110 section 8.8.2.1).
  headers.set('last-modified', new Date(Math.min(Number(stats.mtimeMs), Date.now())).toUTCString())
  if (isEncoded) headers.set('content-encoding', coding)
  if (isCompressible(type)) headers.set('vary', 'accept-encoding')
  return { headers, payload: filePayload({ handle, size, type }) }
}
