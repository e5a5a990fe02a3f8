/** What a client gets of one endpoint, computed from its contract or, where it has none, from its method. */
import type { Reply } from '../context/reply.js'
import type { Problem } from '../errors/http-error.js'
import type { Verb } from '../http/methods.js'
import type { Returnable } from '../route/contract.js'
import type { ReplyKind, StreamEvent } from '../route/kinds.js'
import type { Out } from '../validation/schema.js'

/** An answer that the API documents. */
export interface Success<Status = number, Body = unknown> {
  /** It is no problem. */
  readonly ok: true
  /** Status of the answer. */
  readonly status: Status
  /** The body, read: a value from JSON, a text, bytes, events as they come; `null` where there is none. */
  readonly body: Body
  /** Its header fields. */
  readonly headers: Headers
}

/** A problem (RFC 9457): whatever was answered as `application/problem+json`. */
export interface Failure {
  /** It is a problem. */
  readonly ok: false
  /** Status of the answer. */
  readonly status: number
  /** What is wrong. */
  readonly body: Problem
  /** Its header fields. */
  readonly headers: Headers
}

/** A contract that says what is returned. */
export interface WithReturns<R> {
  /** What it returns. */
  readonly returns: R
}

/** The answers of an endpoint that are no problems; none where the class has no such method. */
export type Answers<Spec, Class, V extends Verb> =
  Spec extends WithReturns<infer R>
    ? R extends Returnable
      ? Success<StatusOf<Spec>, Shown<R>>
      : { [K in keyof R & number]: Success<K, Shown<R[K]>> }[keyof R & number]
    : AnswerOf<ValueOf<Class, V>, StatusOf<Spec>>

// oxlint-disable-next-line no-explicit-any -- whatever its parameters
type Method<Value> = (...given: any) => Value
type ValueOf<Class, V extends Verb> = Class extends abstract new () => { [K in V]: Method<infer Value> }
  ? Awaited<Value>
  : never

type StatusOf<Spec> = Spec extends { readonly status: infer Status }
  ? Status
  : Spec extends { readonly returns: null }
    ? 204
    : 200

type Shown<R> = R extends null ? null : R extends ReplyKind<unknown, infer Kind> ? ShownKind<Kind> : Json<Out<R>>
type ShownKind<Kind> =
  Kind extends AsyncIterable<StreamEvent<infer Data>> ? AsyncIterable<StreamEvent<Json<Data>>> : Kind

// Without `returns` the method says it.
type AnswerOf<Value, Status> =
  Value extends Reply<infer Own, infer Body>
    ? Success<Own, Unspoken<Body>>
    : Success<Value extends void ? 204 : Status, Unspoken<Value>>

type Unspoken<Value> = Value extends void ? null : Value extends Uint8Array ? Uint8Array : Streamed<Value>
type Streamed<Value> =
  Value extends AsyncIterable<infer Chunk> ? (Chunk extends string ? string : Uint8Array) : Sent<Value>
type Sent<Value> = Value extends Response ? unknown : Json<Value>

/**
 * What a client gets where a server sends a value: a `Date` is a text, what has `toJSON` is what that gives, functions are left
 * out.
 */
export type Json<T> = 0 extends 1 & T ? T : JsonOf<T>

type Scalar = string | number | boolean | null | undefined

// oxlint-disable-next-line no-explicit-any -- whatever its parameters
type NotSent = ((...given: any) => unknown) | symbol

type JsonOf<T> = T extends Scalar
  ? T
  : T extends { toJSON(key?: never): infer Shown }
    ? Json<Shown>
    : T extends object
      ? JsonObject<T>
      : unknown extends T
        ? T
        : never

type JsonObject<T> = T extends NotSent ? never : T extends readonly unknown[] ? JsonList<T> : JsonRecord<T>

type JsonList<T> = { [K in keyof T]: Json<T[K]> }

type JsonRecord<T> = { [K in keyof T as T[K] extends NotSent ? never : K]: Json<T[K]> } & {}
