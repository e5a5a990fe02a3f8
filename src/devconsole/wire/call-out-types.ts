/** What is wrong with a request, and what is known of it, in words: with the record, on its way to a page. */
import type { CodePlace, RequestRecord } from './request-types.js'

/** A part of a text: plain, code, a place of the code, a duration in ms, or a link to a tab of the request. */
export type CallOutPart =
  | string
  | { readonly code: string }
  | { readonly place: CodePlace & { readonly column?: number } }
  | { readonly ms: number }
  | { readonly tab: string; readonly text: string }

/** A part of what is known: as above, or words that matter less. */
export type AboutPart = CallOutPart | { readonly dim: string }

/** One thing that is known of a request. */
export type About = readonly [name: string, text: readonly AboutPart[]]

/** One thing that is wrong. */
export interface CallOut {
  readonly kind: 'bad' | 'warn' | 'note'
  readonly title: readonly CallOutPart[]
  readonly text: readonly CallOutPart[]
}

/** A record as `GET api/requests/<id>` answers it. */
export interface ShownRecord extends RequestRecord {
  /** The worst first. */
  readonly callOuts: readonly CallOut[]
  /** Who answered, and what is known of it. */
  readonly about: readonly About[]
}
