/** What the console answers for its views: a request in words, routes, health. */
import type { CodePlace, RequestRecord } from './request-types.js'

/** One endpoint, as `GET api/routes` lists it. */
export interface RouteInfo {
  readonly id: string
  readonly class: string
  readonly method: string
  readonly template: string
  readonly place: CodePlace | null
  readonly decorators: readonly string[]
  readonly version: string | null
  readonly deprecated: boolean
  /** Where it stands in `GET api/openapi`: key in `paths`, key of the operation; `null` when it is not in it. */
  readonly operation: readonly [path: string, method: string] | null
  readonly warnings: readonly string[]
  /** Sentences on what may surprise and is in order. */
  readonly notes: readonly string[]
}

/** `GET api/routes`. */
export interface RouteList {
  readonly routes: readonly RouteInfo[]
  readonly warnings: readonly string[]
}

export interface TryField {
  /** `part` is one of a form with files. */
  readonly place: 'path' | 'query' | 'header' | 'part'
  readonly name: string
  readonly kind: 'text' | 'number' | 'checkbox' | 'select' | 'file' | 'files'
  /** What may be chosen; of files their media types. */
  readonly options: readonly string[]
  readonly required: boolean
  readonly value: string
  readonly hint: string
}

/** What the form of an endpoint begins with. It is the `x-form` of an operation of `GET api/openapi`. */
export interface TryForm {
  readonly fields: readonly TryField[]
  readonly body: string | null
  readonly type: string
}

export interface HealthCheck {
  readonly ok: boolean
  readonly title: string
  readonly detail: string
}

/** A fact and its value; `secret` values are not sent, `value` says what stands there instead. */
export interface Fact {
  readonly name: string
  readonly value: string
  readonly secret?: boolean
}

/** `GET api/health`. */
export interface Health {
  readonly guards: readonly HealthCheck[]
  readonly process: readonly Fact[]
  readonly cost: readonly Fact[]
  readonly options: readonly Fact[]
}

/** A part of a text: plain, code, a place of the code, a duration in ms, or a link to a tab of the request. */
export type CallOutPart =
  | string
  | { readonly code: string }
  | { readonly place: CodePlace & { readonly column?: number } }
  | { readonly ms: number }
  | { readonly tab: string; readonly text: string }

export type AboutPart = CallOutPart | { readonly dim: string }

export type About = readonly [name: string, text: readonly AboutPart[]]

export interface CallOut {
  readonly kind: 'bad' | 'warn' | 'note'
  readonly title: readonly CallOutPart[]
  readonly text: readonly CallOutPart[]
}

/** A record as `GET api/requests/<id>` answers it. */
export interface ShownRecord extends RequestRecord {
  /** The worst first. */
  readonly callOuts: readonly CallOut[]
  readonly about: readonly About[]
}
