/** The page as an app serves it: with its policy, an ETag, and the bytes in chunks. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { objectOrEmpty, type JsonRecord } from '../openapi/reading/json.js'
import { referencePage } from './page.js'
import type { PageOptions, PageVersion } from './page-options.js'
import { PAGE_POLICY } from './policy.js'

/** Changes with the HTML of the page, because caches of browsers keep a page with its ETag. A test compares it with the HTML. */
export const REVISION = 2

/** A document with its ETag. */
interface ServedDocument {
  readonly text: string
  readonly etag: string
}

/** The document of the version before this one. */
export interface PreviousDocument extends ServedDocument {
  readonly name: string
}

interface ServedOptions {
  readonly versions: readonly PageVersion[]
  readonly previous: PreviousDocument | undefined
  readonly documentUrl: string | undefined
  /** URL of the form of an operation in the console, by operation id; `null` outside of development. */
  readonly forms: ReadonlyMap<string, string> | null
}

/** Maximum total length of the pages in memory, and their maximum number. */
const MAX_TEXT_LENGTH = 8 * 1024 * 1024
const MAX_TEXTS = 100
/** Length of a chunk. Other requests are handled between two chunks. */
const CHUNK_LENGTH = 32 * 1024

/** The pages of an app. Keeps pages that were sent before. */
export class ServedPages {
  /** Content Security Policy of all pages. */
  static readonly policy: string = PAGE_POLICY
  readonly #texts = new Map<string, string>()
  #textLength = 0

  /** Returns the ETag of a page, which depends on everything that its HTML depends on. */
  etag({ etag }: ServedDocument, { versions, previous, documentUrl, forms }: ServedOptions): string {
    const sources = [REVISION, PAGE_POLICY, etag, versions, previous?.etag, documentUrl, [...(forms ?? [])]]
    return `"${createHash('sha256').update(JSON.stringify(sources)).digest('base64url')}"`
  }

  /** Returns the HTML of a page; in chunks if it was not sent before. */
  body(etag: string, document: ServedDocument, options: ServedOptions): string | AsyncIterable<string> {
    return this.#texts.get(etag) ?? this.#render(etag, document, options)
  }

  async *#render(etag: string, document: ServedDocument, options: ServedOptions): AsyncGenerator<string> {
    const { forms, previous, ...others } = options
    const tryIt: PageOptions['tryIt'] = (operationId) => forms?.get(operationId)
    const former = previous && { name: previous.name, document: parse(previous) }
    const shown = { ...others, previous: former, tryIt, hasClient: true, isServed: true }
    const parts = referencePage(parse(document), shown)
    const chunks: string[] = []
    let chunk = ''
    for (const part of parts) {
      chunk += part
      if (chunk.length < CHUNK_LENGTH) continue
      chunks.push(chunk)
      yield chunk
      chunk = ''
      await setImmediate()
    }
    yield chunk
    this.#keep(etag, [...chunks, chunk].join(''))
  }

  #keep(etag: string, text: string): void {
    if (this.#texts.has(etag)) return
    this.#texts.set(etag, text)
    this.#textLength += text.length
    for (const [oldest, { length }] of this.#texts) {
      if (this.#textLength <= MAX_TEXT_LENGTH && this.#texts.size <= MAX_TEXTS) break
      this.#texts.delete(oldest)
      this.#textLength -= length
    }
  }
}

function parse({ text }: ServedDocument): JsonRecord {
  return objectOrEmpty(JSON.parse(text))
}
