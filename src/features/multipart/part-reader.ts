/** Takes a body of several parts apart, one part after the other, no faster than they are read. */
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

  /** @param most how many parts a body may have */
  constructor({ chunks, media }: IncomingBody, most: number) {
    this.#source = chunks[Symbol.asyncIterator]()
    this.#scanner = new Scanner(parseBoundary(media))
    this.#most = most
  }

  /** How many parts were begun. */
  get count(): number {
    return this.#count
  }

  /** The head of the next part; `null` behind the last one. What is left of the part before is passed over. */
  async next(): Promise<PartHead | null> {
    while (this.#isInPart) await this.chunk()
    const { kind, bytes } = await this.#token()
    if (bytes === null) {
      // What follows the last boundary says nothing, but the connection goes on behind it.
      while ((await this.#source.next()).done !== true);
      return null
    }
    if (++this.#count > this.#most) throw frameworkError(400, `The body has more than ${this.#most} parts`)
    this.#isInPart = kind === 'head'
    return parsePartHead(bytes)
  }

  /** The next bytes of the part; `null` at its end. */
  async chunk(): Promise<Buffer | null> {
    if (!this.#isInPart) return null
    const { bytes } = await this.#token()
    this.#isInPart = bytes !== null
    return bytes
  }

  /** Nothing more is read. */
  async end(): Promise<void> {
    await this.#source.return?.()
  }

  #token(): ScanToken | Promise<ScanToken> {
    if (this.#isBusy) throw new TypeError('Cannot read two parts at once: wait for one before you ask for the next')
    return this.#scanner.next() ?? this.#tokenOfNext()
  }

  /** Takes chunks until something comes of them. */
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
  throw frameworkError(400, 'The media type of the body has no boundary, or one that cannot be used')
}
