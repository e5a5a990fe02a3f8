/** `files`: serves a directory as a group of routes. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FullReply, redirect, type Reply } from '../../context/reply.js'
import { BaseContext, type ContextSource } from '../../context/request-context.js'
import type { Context } from '../../context/types.js'
import { frameworkError } from '../../errors/http-error.js'
import { argumentError, checkArgument, checkOptions, rule, textRule, type Rules } from '../../errors/options.js'
import type { Exchange } from '../../http/exchange.js'
import type { HeaderMap } from '../../http/fields.js'
import { acceptsMediaType } from '../../http/media-type.js'
import { discard } from '../../http/payload.js'
import { group } from '../../route/group.js'
import { Route } from '../../route/route.js'
import { SERVES_FILES } from '../../route/built-in-marks.js'
import type { Group, Input } from '../../route/route-types.js'
import { fileParts, findFile } from './found-file.js'
import { mediaTypeFor } from './media-types.js'
import { splitFilePath } from './file-path.js'
import type { Root } from './open-file.js'
import { COMMON_RULES, FileCaching, checkImmutable, isFilePath, toFilePath, withSeparator } from './send-file.js'

startStackAtCaller(files)

/** Options of `files`. */
export interface FilesOptions {
  /** File that is served for a directory, at a path with a trailing slash; default `index.html`, `false` disables it. */
  readonly index?: string | false
  /** File that is served if no file matches and the client requests HTML, for single-page applications. */
  readonly fallback?: string
  /** Time for which files are fresh in caches, in ms. Default: no `Cache-Control` header. */
  readonly maxAge?: number
  /**
   * Whether anyone may have the files: shared caches may store them for `maxAge`, even if the response depends on credentials, and
   * `app.check()` reports no missing guard.
   */
  readonly public?: boolean
  /** Whether files never change under the same name, such as names that contain a hash. Requires `maxAge`. */
  readonly immutable?: boolean
  /** Whether to serve files and directories whose names begin with a dot; default `false`. */
  readonly dotfiles?: boolean
}

const NAME = textRule(
  (text) => text !== '' && splitFilePath(text, true) !== null,
  'be the path of a file in the directory',
  "'index.html'",
)

const RULES: Rules<FilesOptions> = {
  index: { ...NAME, isValid: (value) => value === false || NAME.isValid(value) },
  fallback: NAME,
  ...COMMON_RULES,
}

/**
 * Serves the files of a directory to GET and HEAD. Supports ranges and conditional requests (RFC 9110 sections 13 and 14), and compressed
 * files next to the original, such as `app.js.br` for `app.js` (also `.zst` and `.gz`). Routes of the app have priority over files. Files
 * outside the directory are 404, even if a symbolic link in it points to them.
 *
 * @param root path of the directory, relative to the working directory, or a `file:` URL
 * @param options index and fallback files, caching, and dotfiles; times in ms
 * @returns a group, for a path in `routes`
 * @throws SetupError `OPTION_INVALID`, also if the directory does not exist, and for `immutable` without `maxAge`
 *
 * @example
 * ```ts
 * import { createApp } from 'verbena'
 * import { files } from 'verbena/files'
 *
 * const app = createApp({ routes: { '/guides': files('docs/guides', { maxAge: 60_000 }) } })
 *
 * const response = await app.fetch(new Request('http://localhost/guides/files.md'))
 * response.headers.get('content-type') // => 'text/markdown; charset=utf-8'
 * response.headers.get('cache-control') // => 'max-age=60'
 * await response.body?.cancel()
 * ```
 */
export function files(root: string | URL, options: FilesOptions = {}): Group<{}> {
  checkArgument(root, ROOT, 'root', 'files()')
  checkOptions(options, RULES, 'files()')
  checkImmutable(options, 'files()')
  const folder = new Folder(openRoot(root, options), options)
  class FilesRoot extends Route {
    static readonly meta = SERVES_FILES.carry('folder')
    static readonly fallback = true
    static readonly get = this.contract({ hidden: true })
    get(input: Context): Promise<Reply> {
      return folder.reply('', input)
    }
  }
  class Files extends Route {
    static readonly path = '/{path...}'
    static readonly fallback = true
    static readonly meta = SERVES_FILES.carry(options.public === true ? 'public files' : 'files')
    static readonly get = this.contract({ hidden: true })
    get(input: Input<typeof Files.get>): Promise<Reply> {
      return folder.reply(input.params.path, input)
    }
  }
  // Proof: both routes are hidden, so the group has no typed paths.
  return group({ routes: { '/': FilesRoot, Files } }) as Group<{}>
}

const ROOT = rule(isFilePath, 'be the path of a directory, or a file: URL', "files('public')")
const FIX_FOR_PATH = 'Create it before the app starts, or write "new URL(\'public\', import.meta.url)"'
const FIX_FOR_URL =
  'Compiled code is usually in another directory than its source. Copy the directory there when you build, ' +
  'or write a URL that is valid from there, such as "new URL(\'../public\', import.meta.url)"'

function openRoot(folder: string | URL, { dotfiles: hasDotfiles = false }: FilesOptions): Root {
  const path = toFilePath(folder)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return { path: withSeparator(realpathSync(path)), hasDotfiles }
  }
  const fix = folder instanceof URL ? FIX_FOR_URL : FIX_FOR_PATH
  throw argumentError('files()', 'root', `"${path}" is not a directory. ${fix}`)
}

/** For pages, which keep their URL when their content changes. Caches must revalidate them for each use. */
const NO_CACHE: HeaderMap = new Map([['cache-control', 'no-cache']])
const PRIVATE_NO_CACHE: HeaderMap = new Map([['cache-control', 'private, no-cache']])

class Folder {
  readonly #root: Root
  readonly #index: string | false
  readonly #fallback: string | undefined
  readonly #caching: FileCaching

  constructor(root: Root, options: FilesOptions) {
    this.#root = root
    this.#index = options.index ?? 'index.html'
    this.#fallback = options.fallback
    this.#caching = new FileCaching(options)
  }

  /** Returns the response for a decoded path in the directory. */
  async reply(path: string, input: Context): Promise<Reply> {
    // Proof: the app calls methods, and passes a `BaseContext`.
    const source = BaseContext.sourceOf(input as BaseContext)
    const { path: target, query } = source
    const parts = splitFilePath(path, this.#root.hasDotfiles)
    const file = parts && (await this.#find(parts, source, target.endsWith('/')))
    if (file === 'folder') return redirect(redirectToSlash(target, query), 308)
    return file ?? this.#missing(source)
  }

  /**
   * Finds a file, or the index of a directory at a path with a trailing slash. Returns `'folder'` for a directory with an index if the
   * slash is missing, because relative links in the index only work with the slash.
   */
  async #find(
    parts: readonly string[],
    source: ContextSource,
    isSlashed: boolean,
  ): Promise<FullReply | 'folder' | null> {
    const { exchange, readsCredentials } = source
    const fileOrFolder = isSlashed
      ? 'folder'
      : await this.#open(parts, exchange, this.#caching.fields(exchange, readsCredentials))
    if (fileOrFolder !== 'folder' || this.#index === false) return fileOrFolder === 'folder' ? null : fileOrFolder
    const index = await this.#openPage([...parts, this.#index], source)
    if (index === 'folder' || index === null) return null
    if (isSlashed) return index
    discard(index.payload)
    return 'folder'
  }

  #openPage(
    parts: readonly string[],
    { exchange, readsCredentials }: ContextSource,
  ): Promise<FullReply | 'folder' | null> {
    return this.#open(parts, exchange, readsCredentials ? PRIVATE_NO_CACHE : NO_CACHE)
  }

  async #open(parts: readonly string[], exchange: Exchange, fields: HeaderMap): Promise<FullReply | 'folder' | null> {
    const path = join(this.#root.path, ...parts)
    const type = mediaTypeFor(path)
    const fallbackFile = await findFile({ path, type, root: this.#root }, exchange)
    if (fallbackFile === null || fallbackFile === 'folder') return fallbackFile
    const { headers, payload } = fileParts(fallbackFile, type, fields)
    const fullReply = new FullReply(200, null, headers)
    fullReply.payload = payload
    return fullReply
  }

  /** Responds with the fallback to clients that request HTML, such as browsers that open a page. Throws a 404 for other clients. */
  async #missing(source: ContextSource): Promise<FullReply> {
    const fallbackPath = this.#fallback
    const fallbackFile =
      fallbackPath && wantsHtml(source.exchange) ? await this.#openPage([fallbackPath], source) : null
    if (fallbackFile !== null && fallbackFile !== 'folder') return fallbackFile.with({ vary: 'accept' })
    throw frameworkError(404, 'No resource matches this path', { headers: fallbackPath ? { vary: 'accept' } : {} })
  }
}

/** Whether `Accept` contains `text/html` explicitly. A wildcard does not count, because scripts send it too. */
function wantsHtml(exchange: Exchange): boolean {
  const accept = exchange.header('accept') ?? ''
  return /(?:^|,)[ \t]*text\/html[ \t]*(?:[;,]|$)/i.test(accept) && acceptsMediaType(accept, 'text/html')
}

/** Returns the path with a trailing slash as a relative URL. It works behind proxies that strip a prefix, and stays on this host. */
function redirectToSlash(target: string, query: string): string {
  const fileName = target.slice(target.lastIndexOf('/') + 1)
  return `./${fileName}/${query === '' ? '' : `?${query}`}`
}
