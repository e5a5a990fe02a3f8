/** `parts`: a body kind that passes parts to the handler as they arrive. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { isUtf8 } from 'node:buffer'
import { checkOptions, type Rules } from '../../errors/options.js'
import { frameworkError } from '../../errors/http-error.js'
import { ChunkBuffer } from '../../http/body.js'
import type { BodyReader, IncomingBody, PreparedReader, ReaderContext, ShownBody } from '../../route/body-reader.js'
import { type BodyKind, BOUNDS, Kind } from '../../route/kinds.js'
import type { FormDataBody } from './form-types.js'
import type { PartHead } from './part-head.js'
import { PartReader } from './part-reader.js'

startStackAtCaller(parts)

/** A part of a multipart body. Its bytes can be read only once. */
export interface Part extends AsyncIterable<Uint8Array> {
  /** Name of the part. */
  readonly name: string
  /** File name without directories; `undefined` for a field. The client chooses it. Do not use it as a path. */
  readonly filename: string | undefined
  /** Media type stated by the client. */
  readonly type: string
  /** Reads the whole part as a UTF-8 string of at most `limit` bytes; default: `limits.body` of the app. */
  text(limit?: number): Promise<string>
  /** Reads the whole part, at most `limit` bytes; default: `limits.body` of the app. */
  bytes(limit?: number): Promise<Uint8Array>
}

/** Options of `parts`. */
export interface PartsOptions {
  /** Maximum bytes of each part; default: `limits.body` of the app. */
  readonly limit?: number
  /** Maximum bytes of the whole body; default: the sum of `limit` and `limits.body` of the app. */
  readonly total?: number
}

/**
 * Body kind for a multipart body, `multipart/form-data` (RFC 7578), that the handler reads part by part, with backpressure. The loop
 * skips the unread bytes of a part when it requests the next part. If the body is invalid, the loop throws an `HttpError`.
 *
 * @param options limits in bytes
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
export function parts(options: PartsOptions = {}): BodyKind<AsyncIterable<Part>, FormDataBody> {
  checkOptions(options, RULES, 'parts()')
  return new Kind('read', null, {}, new LoopReader(options))
}

const RULES: Rules<PartsOptions> = { limit: BOUNDS.limit, total: BOUNDS.limit }

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

  describe(): ShownBody {
    return { isRequired: false, media: { schema: { type: 'object' } } }
  }
}

interface PartBounds {
  /** Maximum bytes of a part. */
  readonly limit: number
  /** Maximum number of parts. */
  readonly most: number
  /** Default limit of `text()` and `bytes()`, in bytes. */
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

  /** Throws if the part was read before, because its bytes are not stored. */
  #begin(): void {
    if (this.#isRead)
      throw new TypeError(
        `Cannot read the part "${this.name}" twice: its bytes are not stored. Keep the result of the first read`,
      )
    this.#isRead = true
  }

  async #next(most: number = this.#bounds.limit): Promise<Buffer | null> {
    if (this.#reader.count !== this.#number) {
      throw new TypeError(
        `Cannot read the part "${this.name}": the next part was already requested. Read each part before requesting the next`,
      )
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
