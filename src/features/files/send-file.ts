/** `sendFile`: responds with a file. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheControl, TIME, type CacheControlOptions } from '../caching/cache-control.js'
import { FullReply, type Reply } from '../../context/reply.js'
import { frameworkError } from '../../errors/http-error.js'
import { checkOptions, optionError, rule, SWITCH, textRule, type Rules } from '../../errors/options.js'
import { toAsyncIterable } from '../../http/chunks.js'
import type { ConditionalHeaders } from '../../http/conditions.js'
import { toHeaderChanges, applyChanges, NO_FIELDS, type HeaderChange, type HeaderMap } from '../../http/fields.js'
import { parseMediaType } from '../../http/media-type.js'
import { DEFERRED, DeferredBody } from '../../http/payload.js'
import { fileParts, findFile, type FileParts, type WantedFile } from './found-file.js'
import { mediaTypeFor } from './media-types.js'
import { splitFilePath } from './file-path.js'
import { nullIfMissing } from './open-file.js'

startStackAtCaller(sendFile)

/** Options of `sendFile`. */
export interface SendFileOptions {
  /** Directory that must contain the file, also after symbolic links are resolved. Required if the path comes from a client. */
  readonly root?: string | URL
  /** Media type. Default: the type of the file extension. */
  readonly type?: string
  /** File name for `Content-Disposition: attachment`, which makes browsers save the file. */
  readonly download?: string
  /** Time for which the file is fresh in caches, in ms. Default: no `Cache-Control` header. */
  readonly maxAge?: number
  /** Whether shared caches may store it, even if the response depends on credentials. Requires `maxAge`. */
  readonly public?: boolean
  /** Whether the file never changes under the same name, such as a name that contains a hash. Requires `maxAge`. */
  readonly immutable?: boolean
  /** Whether names that begin with a dot are allowed below `root`; default `false`. */
  readonly dotfiles?: boolean
}

/** Content of a file, as returned by `sendFile`. */
export interface FileContent extends AsyncIterable<Uint8Array> {
  /** Type brand; not present at run time. */
  readonly '~file': true
}

/** Rules of the options that `sendFile` and `files` share. */
export const COMMON_RULES: Rules<Pick<SendFileOptions, 'maxAge' | 'public' | 'immutable' | 'dotfiles'>> = {
  maxAge: TIME,
  public: SWITCH,
  immutable: SWITCH,
  dotfiles: SWITCH,
}

const RULES: Rules<SendFileOptions> = {
  root: rule(isFilePath, 'be a path or a file: URL', "'public'"),
  type: textRule(isMediaType, 'be a media type', "'image/png'"),
  download: textRule((text) => text !== '', 'be a non-empty string', "'report.pdf'"),
  ...COMMON_RULES,
}

/**
 * Returns a reply with a file. Supports ranges and conditional requests (RFC 9110 sections 13 and 14), and compressed files next to the
 * original with the extension `.br`, `.zst` or `.gz`. The file is opened after the method has returned. If it does not exist or is not
 * a regular file, the response is 404.
 *
 * @param path of the file, relative to `root` or, without `root`, to the working directory. Never pass a path from a client without `root`
 * @param options media type, download name, caching, and `root`; times in ms
 * @returns a reply, for a contract that returns `file()` or `stream()`
 * @throws SetupError `OPTION_INVALID`, also for `immutable` without `maxAge`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { sendFile } from 'verbena/files'
 *
 * class Readme extends Route {
 *   async get() {
 *     return sendFile('README.md', { download: 'read me.md' })
 *   }
 * }
 * const app = createApp({ routes: { Readme } })
 * const response = await app.fetch(new Request('http://localhost/readme', { headers: { range: 'bytes=0-8' } }))
 * response.status // => 206
 * await response.text() // => '# Verbena'
 * ```
 */
export function sendFile(path: string | URL, options: SendFileOptions = {}): Reply<200, FileContent> {
  checkOptions(options, RULES, 'sendFile()')
  checkImmutable(options, 'sendFile()')
  const { download } = options
  const disposition = download === undefined ? {} : { 'content-disposition': attachment(download) }
  const fields: FileFields = { caching: new FileCaching(options), changes: toHeaderChanges(disposition) }
  const fullReply = new FullReply<200, FileContent>(200, new FileBody(toFilePath(path), options, fields), NO_FIELDS)
  fullReply.payload = DEFERRED
  return fullReply
}

/** Rejects `immutable` without `maxAge`, because a file without a fresh time never counts as unchanged (RFC 8246 section 2). */
export function checkImmutable(
  { immutable, maxAge }: Pick<SendFileOptions, 'immutable' | 'maxAge'>,
  owner: string,
): void {
  if (immutable !== true || maxAge !== undefined) return
  throw optionError(owner, 'immutable', 'it has no effect without "maxAge". Write "maxAge: 31_536_000_000" (a year)')
}

/** `Cache-Control` of a file. Shared caches must not store responses that depend on credentials (RFC 9111 section 3.5). */
export class FileCaching {
  readonly #usual: HeaderMap
  readonly #private: HeaderMap

  constructor(options: Pick<SendFileOptions, 'maxAge' | 'public' | 'immutable'>) {
    const isPublic = options.public === true
    this.#usual = cacheFields(options, { public: isPublic })
    this.#private = isPublic ? this.#usual : cacheFields(options, { private: true })
  }

  fields(conditions: Pick<ConditionalHeaders, 'header'>, isPrivate: boolean): HeaderMap {
    return isPrivate || conditions.header('authorization') !== undefined ? this.#private : this.#usual
  }
}

function cacheFields({ maxAge, immutable = false }: SendFileOptions, directives: CacheControlOptions): HeaderMap {
  return maxAge === undefined
    ? NO_FIELDS
    : new Map([['cache-control', cacheControl({ ...directives, maxAge, immutable })]])
}

interface FileFields {
  readonly caching: FileCaching
  readonly changes: readonly HeaderChange[]
}

/** Body that opens its file after the method has returned, because the request headers select the encoding. */
class FileBody extends DeferredBody implements FileContent {
  declare readonly '~file': true
  readonly #path: string
  readonly #options: SendFileOptions
  readonly #fields: FileFields

  constructor(path: string, options: SendFileOptions, fields: FileFields) {
    super()
    this.#path = path
    this.#options = options
    this.#fields = fields
  }

  async open(conditions: ConditionalHeaders, isPrivate: boolean): Promise<FileParts> {
    const location = await this.#wanted()
    const file = location && (await findFile(location, conditions))
    if (location === null || file === null || file === 'folder') throw frameworkError(404, 'This file does not exist')
    const { caching, changes } = this.#fields
    return fileParts(file, location.type, applyChanges(caching.fields(conditions, isPrivate), changes))
  }

  async #wanted(): Promise<WantedFile | null> {
    const { root, dotfiles: hasDotfiles = false, type = mediaTypeFor(this.#path) } = this.#options
    if (root === undefined) return { path: resolve(this.#path), type, root: null }
    const parts = splitFilePath(this.#path, hasDotfiles)
    const path = parts && (await realpath(toFilePath(root)).catch(nullIfMissing))
    if (parts === null || path === null) return null
    return { path: join(path, ...parts), type, root: { path: withSeparator(path), hasDotfiles } }
  }

  /** Reads the whole file, for code that has the reply but no request, such as `invoke` in tests. Middleware receives the opened file. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#bytes()
  }

  async *#bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    const { payload } = await this.open(NO_CREDENTIALS, true)
    // Proof: the chunks of a file are bytes.
    yield* toAsyncIterable(payload.data) as AsyncIterable<Uint8Array>
  }
}

const NO_CREDENTIALS: ConditionalHeaders = { method: 'GET', header: () => undefined }

export function toFilePath(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path
}

export function isFilePath(value: unknown): value is string | URL {
  return (typeof value === 'string' && value !== '') || (value instanceof URL && value.protocol === 'file:')
}

/** Appends a separator unless the path already has one, as the root of a file system does. */
export function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : path + sep
}

function isMediaType(value: unknown): boolean {
  return typeof value === 'string' && parseMediaType(value) !== undefined
}

/** Formats `Content-Disposition` with an ASCII name for old clients and, if different, the full name (RFC 6266, RFC 8187). */
function attachment(fileName: string): string {
  const name = fileName.replace(/\p{Cs}/gu, '_')
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  const field = `attachment; filename="${plain}"`
  return plain === name ? field : `${field}; filename*=UTF-8''${encoded}`
}
