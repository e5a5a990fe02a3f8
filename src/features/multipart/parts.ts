/** `parts`: the parts of a body, one after the other, while they come. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { isUtf8 } from 'node:buffer'
import { checkOptionValues } from '../../errors/known-keys.js'
import { frameworkError } from '../../errors/http-error.js'
import { ChunkBuffer } from '../../http/chunk-buffer.js'
import type { BodyReader, IncomingBody, PreparedReader, ReaderContext } from '../../route/body-reader.js'
import { type BodyKind, BOUNDS, Kind } from '../../route/kinds.js'
import type { AskedParts } from './form-types.js'
import type { PartHead } from './part-head.js'
import { PartReader } from './part-reader.js'

startStackAtCaller(parts)

/** A part of a body, whose bytes come as they are asked for, once. */
export interface Part extends AsyncIterable<Uint8Array> {
  /** Name of the part. */
  readonly name: string
  /** Name of the file, without folders; `undefined` for a field. It is the client's word: never make a path of it. */
  readonly filename: string | undefined
  /** Media type, as the client says. */
  readonly type: string
  /** Collects a text in UTF-8 of so many bytes, `limits.body` of the app unless given. */
  text(limit?: number): Promise<string>
  /** Collects so many bytes, `limits.body` of the app unless given. */
  bytes(limit?: number): Promise<Uint8Array>
}

/** Bounds of a body that is read part by part. */
export interface PartsOptions {
  /** Bytes of each part; `limits.body` of the app unless given. */
  readonly limit?: number
  /** Bytes of the whole body; the sum of `limit` and `limits.body` of the app unless given. */
  readonly total?: number
}

/**
 * A body of several parts, `multipart/form-data` (RFC 7578), that the handler reads part by part, no faster than it takes them.
 * A part that is not read is passed over when the next is asked for. What is wrong is thrown in the loop as an `HttpError`.
 *
 * @param options bounds in bytes
 * @returns the kind, for `body` in a contract
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { parts } from 'verbena/multipart'
 *
 * class Imports extends Route {
 *   static readonly post = this.contract({ body: parts({ limit: 100_000_000 }) })
 *   async post({ body }: Input<typeof Imports.post>) {
 *     const sizes: Record<string, number> = {}
 *     for await (const part of body) {
 *       for await (const chunk of part) sizes[part.name] = (sizes[part.name] ?? 0) + chunk.length
 *     }
 *     return sizes
 *   }
 * }
 * const app = createApp({ routes: { Imports } })
 *
 * const form = new FormData()
 * form.append('rows', new File(['id,name\n1,Ada'], 'rows.csv'))
 * const answer = await app.fetch(new Request('http://localhost/imports', { method: 'POST', body: form }))
 * await answer.json() // => { rows: 13 }
 * ```
 */
export function parts(options: PartsOptions = {}): BodyKind<AsyncIterable<Part>, AskedParts> {
  checkOptionValues(options, { limit: BOUNDS.limit, total: BOUNDS.limit }, (name) => `the option "${name}" of parts()`)
  return new Kind('read', null, {}, new LoopReader(options))
}

class LoopReader implements BodyReader {
  readonly label = 'parts'
  readonly #options: PartsOptions

  constructor(options: PartsOptions) {
    this.#options = options
  }

  prepare({ limits }: ReaderContext): PreparedReader {
    const { limit = limits.body, total = limit + limits.body } = this.#options
    const bounds = { limit, most: limits.keys, usual: limits.body }
    return { limit: total, read: (body) => readParts(body, bounds), validate: null }
  }

  describe(): ReturnType<BodyReader['describe']> {
    return { isRequired: false, media: { schema: { type: 'object' } } }
  }
}

interface PartBounds {
  /** Bytes of a part. */
  readonly limit: number
  /** Parts of a body. */
  readonly most: number
  /** Bytes that are collected unless it is said how many. */
  readonly usual: number
}

async function* readParts(body: IncomingBody | null, bounds: PartBounds): AsyncGenerator<Part, void, undefined> {
  if (body === null) return
  const reader = new PartReader(body, bounds.most)
  try {
    for (let head = await reader.next(); head !== null; head = await reader.next()) {
      yield new ComingPart(reader, head, bounds)
    }
  } finally {
    await reader.end()
  }
}

class ComingPart implements Part {
  readonly name: string
  readonly filename: string | undefined
  readonly type: string
  readonly #reader: PartReader
  readonly #bounds: PartBounds
  readonly #number: number
  #size = 0
  #isRead = false

  constructor(reader: PartReader, { name, filename, type }: PartHead, bounds: PartBounds) {
    this.name = name
    this.filename = filename
    this.type = type
    this.#reader = reader
    this.#bounds = bounds
    this.#number = reader.count
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#begin()
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) yield chunk
  }

  /** Its bytes are kept nowhere. */
  #begin(): void {
    if (this.#isRead) throw new TypeError(`Cannot read the part "${this.name}" twice: keep what the first time gave`)
    this.#isRead = true
  }

  async #next(most: number = this.#bounds.limit): Promise<Buffer | null> {
    if (this.#reader.count !== this.#number) {
      throw new TypeError(`Cannot read the part "${this.name}": the next one was asked for. Read it before`)
    }
    const chunk = await this.#reader.chunk()
    this.#size += chunk?.length ?? 0
    const limit = Math.min(most, this.#bounds.limit)
    if (this.#size <= limit) return chunk
    throw frameworkError(413, `The part "${this.name}" is larger than ${limit} bytes`, { part: this.name })
  }

  async text(limit?: number): Promise<string> {
    const bytes = await this.#collect(limit)
    if (isUtf8(bytes)) return bytes.toString('utf8')
    throw frameworkError(400, `The part "${this.name}" is not valid UTF-8`, { part: this.name })
  }

  bytes(limit?: number): Promise<Uint8Array> {
    return this.#collect(limit)
  }

  async #collect(limit: number = this.#bounds.usual): Promise<Buffer> {
    this.#begin()
    const gathered = new ChunkBuffer()
    for (let chunk = await this.#next(limit); chunk !== null; chunk = await this.#next(limit)) gathered.add(chunk)
    return gathered.join()
  }
}
