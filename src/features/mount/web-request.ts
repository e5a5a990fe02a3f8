/** Turns a request into a web `Request` (WHATWG Fetch), with the URL that the client sees, and its body as a stream. */
import { frameworkError } from '../../errors/http-error.js'
import type { Exchange } from '../../http/exchange.js'
import { resolveOrigin } from '../../http/forwarded-origin.js'
import { essenceMatcher, mediaEssence, MISSING_TYPE } from '../../http/media-type.js'
import { joinMount } from '../../http/target.js'
import type { Call } from '../../request/call.js'
import { unsupportedMediaType } from '../../request/input.js'

/** Methods that the Fetch standard forbids (section 2.2.1). Node passes `CONNECT` to another listener. */
const FORBIDDEN: ReadonlySet<string> = new Set(['TRACE', 'TRACK'])
/** Methods whose requests cannot have a body in the Fetch standard. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The body of a request for a handler. */
export interface HandlerBody {
  /** In bytes; `undefined` for the limit of the app. */
  readonly limit: number | undefined
  /** Returns whether the body may have a media type, in lower case and without parameters. */
  readonly acceptsType: (essence: string) => boolean
  /** The accepted types, for clients. */
  readonly types: string
  readonly typeHeaders: Readonly<Record<string, string>>
}

/** @param limit in bytes; `undefined` for the limit of the app */
export function createBody(limit: number | undefined, types: readonly string[] = ['*/*']): HandlerBody {
  const text = types.join(', ')
  return { limit, acceptsType: essenceMatcher(types), types: text, typeHeaders: { accept: text } }
}

/** A request for a handler, and the first error of its body, which the handler may have caught. */
export class HandlerRequest {
  readonly request: Request
  bodyError: unknown = undefined

  /** Throws an `HttpError` if the method or the body is not accepted. */
  constructor(call: Call, signal: AbortSignal, body: HandlerBody) {
    const { exchange } = call
    const { method } = exchange
    if (FORBIDDEN.has(method)) throw frameworkError(501, 'This server does not support the request method')
    const chunks = exchange.hasBody && !BODILESS.has(method) ? openHandlerBody(call, body) : null
    // The types of browsers have no `duplex`, which a stream needs, so this is not a literal argument.
    const init = {
      method,
      headers: readHeaders(exchange),
      signal,
      ...(chunks !== null && { body: this.#streamOf(chunks), duplex: 'half' as const }),
    }
    this.request = new Request(publicUrl(call), init)
  }

  /** Reads a chunk only when the handler requests one, so that a client that waits for a 100 gets it then. */
  #streamOf(chunks: AsyncIterable<Buffer>): ReadableStream<Uint8Array> {
    const iterator = chunks[Symbol.asyncIterator]()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await iterator.next()
            if (done === true) controller.close()
            else controller.enqueue(value)
          } catch (error) {
            this.bodyError = error
            throw error
          }
        },
        cancel: async () => void (await iterator.return?.()),
      },
      { highWaterMark: 0 },
    )
  }
}

function openHandlerBody({ exchange, app }: Call, body: HandlerBody): AsyncIterable<Buffer> {
  const type = exchange.header('content-type') ?? MISSING_TYPE
  if (!body.acceptsType(mediaEssence(type))) throw unsupportedMediaType(body)
  return exchange.stream(body.limit ?? app.limits.body)
}

function readHeaders(exchange: Exchange): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(exchange.headers())) if (value !== undefined) headers.append(name, value)
  return headers
}

/** A client of HTTP/1.0 may omit its host. */
function publicUrl({ exchange, path, query, app }: Call): string {
  const origin = resolveOrigin(exchange, app.proxies) ?? 'http://localhost'
  const { url } = exchange
  const target = url.startsWith('/') ? url : path + (query && `?${query}`)
  return origin + joinMount(exchange.mount, target)
}
