/** Responses of the API for single views: a described request, routes, health. */
import type { CodePlace, RequestRecord } from './request-types.js'

/** One endpoint in the response of `GET api/routes`. */
export interface RouteInfo {
  readonly id: string
  readonly class: string
  readonly method: string
  readonly template: string
  readonly place: CodePlace | null
  readonly decorators: readonly string[]
  readonly version: string | null
  readonly deprecated: boolean
  /** Keys of path and operation in `GET api/openapi`; `null` if the document does not contain the endpoint. */
  readonly operation: readonly [path: string, method: string] | null
  readonly warnings: readonly string[]
  /** Sentences about details that are allowed, but may surprise. */
  readonly notes: readonly string[]
}

/** `GET api/routes`. */
export interface RouteList {
  readonly routes: readonly RouteInfo[]
  readonly warnings: readonly string[]
}

export interface TryField {
  /** `part` is a part of a multipart form; `method` and `target` are fields of a request without an endpoint. */
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'part' | 'method' | 'target'
  readonly name: string
  readonly kind: 'text' | 'number' | 'select' | 'file' | 'files'
  /** Choices; for files, their media types. */
  readonly options: readonly string[]
  readonly required: boolean
  readonly value: string
  readonly hint: string
}

/** Initial form of an endpoint: `x-form` of an operation in `GET api/openapi`. */
export interface TryForm {
  readonly fields: readonly TryField[]
  readonly body: string | null
  readonly type: string
  /** Security schemes of the operation; missing without any. */
  readonly schemes?: readonly TryScheme[]
  /** Keys of the operations that look as if they create the cookie of a scheme. */
  readonly signIn?: readonly (readonly [path: string, method: string])[]
}

/** A security scheme: `http` is any scheme of `Authorization` other than `Basic`, the others are API keys in their place. */
export interface TryScheme {
  readonly kind: 'http' | 'basic' | 'header' | 'query' | 'cookie'
  /** Label for `http` and `basic`, otherwise the name of header, parameter or cookie. */
  readonly name: string
}

export interface HealthCheck {
  readonly ok: boolean
  readonly title: string
  readonly detail: string
}

/** A fact and its value. A `secret` value is not sent; then `value` is a placeholder. */
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

/** Queries of recorded requests that differ only in their values, since the start or the last `clear`. Times in ms. */
export interface StatementStats {
  readonly kind: string
  /** Text with `?` in place of values. */
  readonly text: string
  readonly target: string | null
  readonly count: number
  readonly errors: number
  readonly total: number
  readonly max: number
  /** Sum of the rows; `null` if no query has a number of rows. */
  readonly rows: number | null
  /** Id of the request with the slowest query. */
  readonly slowest: string
}

/** Calls of a service method in recorded requests, since the start or the last `clear`. Times in ms. */
export interface ServiceStats {
  readonly name: string
  readonly count: number
  readonly errors: number
  readonly total: number
  /** Time without queries. */
  readonly own: number
  readonly max: number
}

/** `GET api/calls`: highest total time first. */
export interface CallStats {
  readonly statements: readonly StatementStats[]
  readonly services: readonly ServiceStats[]
  /** Number of queries and calls beyond the maximum numbers of statements and methods. */
  readonly dropped: number
}

/** Part of a sentence: a string, code, a position in the code, a duration in ms, or a link to a tab of the request. */
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

/** Response of `GET api/requests/<id>`. */
export interface ShownRecord extends RequestRecord {
  /** Most serious first. */
  readonly callOuts: readonly CallOut[]
  readonly about: readonly About[]
}
