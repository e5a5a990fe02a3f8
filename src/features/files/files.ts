/** `files`: a folder of files as a group of routes. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FullReply, redirect, type Reply } from '../../context/reply.js'
import { RequestContext, type ContextSource } from '../../context/request-context.js'
import type { Context } from '../../context/types.js'
import { frameworkError } from '../../errors/http-error.js'
import { checkOptionValues, rule, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
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
import { splitFilePath } from './names.js'
import type { Root } from './open-file.js'
import { COMMON_RULES, FileCaching, isFilePath, toFilePath, withSeparator } from './send-file.js'

startStackAtCaller(files)

/** How a folder of files is served. */
export interface FilesOptions {
  /** The file that stands for its folder, at a path that ends in a slash; `index.html` unless given, `false` for none. */
  readonly index?: string | false
  /** The file that answers where nothing is found and HTML is wanted, for an application whose paths a browser makes. */
  readonly fallback?: string
  /** For how long caches may use files without asking, in ms; nothing is said unless given. */
  readonly maxAge?: number
  /** Whether shared caches may store files, even if the response depends on credentials. Requires `maxAge`. */
  readonly public?: boolean
  /** Says that files never change under their names, as those with a hash in it; with `maxAge`. */
  readonly immutable?: boolean
  /** Whether files and folders are served whose names begin with a dot. */
  readonly dotfiles?: boolean
}

const NAME = rule(isFileName, 'it is no file below the folder. Give a name such as "index.html"')

const RULES: Rules = {
  index: (value) => (value === false ? null : NAME(value)),
  fallback: NAME,
  ...COMMON_RULES,
}

/**
 * Serves the files of a folder, to GET and HEAD: ranges and conditional requests (RFC 9110 sections 13 and 14), and files that are
 * compressed beside them, as `app.js.br` is beside `app.js` (also `.zst` and `.gz`). Routes of the app go first: a file answers only
 * where no route has the path. What is not below the folder, also behind a symbolic link, is not there.
 *
 * @param root the folder; relative to the working directory, unless it is a `file:` URL
 * @param options what stands for folders, what answers where nothing is found, and how long files are fresh, in ms
 * @returns a group, for a path in `routes`
 * @throws SetupError `OPTION_INVALID`, also where the folder is not there
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
  checkOptionValues(options, RULES, (name) => `the option "${name}" of files()`)
  const folder = new Folder(openRoot(root, options), options)
  class FilesRoot extends Route {
    static readonly meta = SERVES_FILES.carry('folder')
    static readonly fallback = true
    static readonly get = this.contract({ hidden: true })
    get(input: Context): Promise<Reply> {
      return folder.answer('', input)
    }
  }
  class Files extends Route {
    static readonly path = '/{path...}'
    static readonly fallback = true
    static readonly meta = SERVES_FILES.carry(options.public === true ? 'public files' : 'files')
    static readonly get = this.contract({ hidden: true })
    get(input: Input<typeof Files.get>): Promise<Reply> {
      return folder.answer(input.params.path, input)
    }
  }
  // Proof: neither is for documents or clients.
  return group({ routes: { '/': FilesRoot, Files } }) as Group<{}>
}

function isFileName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && splitFilePath(value, true) !== null
}

function openRoot(given: unknown, { dotfiles: hasDotfiles = false }: FilesOptions): Root {
  const path = isFilePath(given) ? toFilePath(given) : ''
  if (path !== '' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return { path: withSeparator(realpathSync(path)), hasDotfiles }
  }
  const fix = 'Make the folder before the app starts, or give "new URL(\'public\', import.meta.url)"'
  throw new SetupError('OPTION_INVALID', `Cannot use the folder "${path}" of files(): it is no folder. ${fix}`)
}

/** What keeps its address while its content changes is asked for each time. */
const NO_CACHE: HeaderMap = new Map([['cache-control', 'no-cache']])

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

  /** Answers a path below the folder, which is decoded. */
  async answer(path: string, input: Context): Promise<Reply> {
    // Proof: methods get their input from the app, and all inputs are contexts.
    const source = RequestContext.sourceOf(input as RequestContext)
    const { exchange, path: target, query } = source
    const parts = splitFilePath(path, this.#root.hasDotfiles)
    const file = parts && (await this.#find(parts, source, target.endsWith('/')))
    if (file === 'folder') return redirect(redirectToSlash(target, query), 308)
    return file ?? this.#missing(exchange)
  }

  /** A folder with an index is found at a path that ends in a slash, by which the links in its index are right. */
  async #find(
    parts: readonly string[],
    source: ContextSource,
    isSlashed: boolean,
  ): Promise<FullReply | 'folder' | null> {
    const { exchange, hasCredentials } = source
    const fileOrFolder = isSlashed ? 'folder' : await this.#open(parts, exchange, this.#caching.fields(hasCredentials))
    if (fileOrFolder !== 'folder' || this.#index === false) return fileOrFolder === 'folder' ? null : fileOrFolder
    const index = await this.#open([...parts, this.#index], exchange, NO_CACHE)
    if (index === 'folder' || index === null) return null
    if (isSlashed) return index
    discard(index.payload)
    return 'folder'
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

  /** Browsers that open a page name HTML; scripts that fetch data do not, and get the truth. */
  async #missing(exchange: Exchange): Promise<FullReply> {
    const fallbackPath = this.#fallback
    const fallbackFile =
      fallbackPath && wantsHtml(exchange) ? await this.#open([fallbackPath], exchange, NO_CACHE) : null
    if (fallbackFile !== null && fallbackFile !== 'folder') return fallbackFile.with({ vary: 'accept' })
    throw frameworkError(404, 'Nothing is found at this path', { headers: fallbackPath ? { vary: 'accept' } : {} })
  }
}

/** A page is wanted by those that name its type, not by those that take anything. */
function wantsHtml(exchange: Exchange): boolean {
  const accept = exchange.header('accept') ?? ''
  return /(?:^|,)[ \t]*text\/html[ \t]*(?:[;,]|$)/i.test(accept) && acceptsMediaType(accept, 'text/html')
}

/** Relative, so that it holds behind a proxy that cuts paths, and never leads to another host. */
function redirectToSlash(target: string, query: string): string {
  const last = target.slice(target.lastIndexOf('/') + 1)
  return `./${last}/${query === '' ? '' : `?${query}`}`
}
