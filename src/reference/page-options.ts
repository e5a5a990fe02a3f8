import type { JsonRecord } from '../openapi/reading/json.js'

/** Options of a page. */
export interface PageOptions {
  /** Versions of the API with the URL of their page, for the chooser; the version of this page has `isCurrent`. */
  readonly versions?: readonly PageVersion[]
  /** The version before this one, for the list of changes. */
  readonly previous?: PreviousVersion | undefined
  /** URL of the document, for a link. */
  readonly documentUrl?: string | undefined
  /** Whether the API belongs to an app of Verbena, so that the typed client can call it. */
  readonly hasClient?: boolean
  /** Whether the page has the address of the API, so that the script can show it instead of `$API`. */
  readonly isServed?: boolean
  /** Returns the URL of the form of an operation in the console, by operation id. */
  readonly tryIt?: ((operationId: string) => string | undefined) | undefined
}

export interface PageVersion {
  readonly name: string
  readonly url: string
  readonly isCurrent: boolean
}

export interface PreviousVersion {
  readonly name: string
  readonly document: JsonRecord
}
