/** Reads the parts of a multipart body one after another, with backpressure. */
import { frameworkError } from '../../errors/http-error.js'
import type { MediaType } from '../../http/media-type.js'
import type { IncomingBody } from '../../route/body-reader.js'
import { parsePartHead, type PartHead } from './part-head.js'
import { Scanner, type ScanToken } from './scanner.js'

/** RFC 2046 section 5.1.1. */
const BOUNDARY = /^[-\w'()+,./:=? ]{0,69}[-\w'()+,./:=?]$/

export class PartReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #scanner: Scanner
  readonly #most: number
  #count = 0
  #isInPart = false
  #isBusy = false

  /** @param most maximum number of parts */
  constructor({ chunks, media }: IncomingBody, most: number) {
    this.#source = chunks[Symbol.asyncIterator]()
    this.#scanner = new Scanner(parseBoundary(media))
    this.#most = most
  }

  /** Number of parts started so far. */
  get count(): number {
    return this.#count
  }

  /** Returns the headers of the next part, or `null` after the last part. Skips unread bytes of the current part. */
  async next(): Promise<PartHead | null> {
    while (this.#isInPart) await this.chunk()
    const { kind, bytes } = await this.#token()
    if (bytes === null) {
      // The bytes after the last boundary have no meaning, but must be read so that the connection can be reused.
      while ((await this.#source.next()).done !== true);
      return null
    }
    if (++this.#count > this.#most) throw frameworkError(400, `The body has more than ${this.#most} parts`)
    this.#isInPart = kind === 'head'
    return parsePartHead(bytes)
  }

  /** Returns the next bytes of the part, or `null` at its end. */
  async chunk(): Promise<Buffer | null> {
    if (!this.#isInPart) return null
    const { bytes } = await this.#token()
    this.#isInPart = bytes !== null
    return bytes
  }

  /** Stops reading the body. */
  async end(): Promise<void> {
    await this.#source.return?.()
  }

  #token(): ScanToken | Promise<ScanToken> {
    if (this.#isBusy)
      throw new TypeError('Cannot read two parts at the same time: a read is in progress. Await it before the next one')
    return this.#scanner.next() ?? this.#tokenOfNext()
  }

  /** Reads chunks until they contain a token. */
  async #tokenOfNext(): Promise<ScanToken> {
    this.#isBusy = true
    try {
      for (;;) {
        const { done, value } = await this.#source.next()
        if (done === true) throw frameworkError(400, 'The body ended before its last boundary')
        this.#scanner.push(value)
        const token = this.#scanner.next()
        if (token !== null) return token
      }
    } finally {
      this.#isBusy = false
    }
  }
}

function parseBoundary({ parameters }: MediaType): string {
  const boundary = parameters.get('boundary') ?? ''
  if (BOUNDARY.test(boundary)) return boundary
  throw frameworkError(400, 'The "boundary" parameter of Content-Type is missing or invalid')
}
