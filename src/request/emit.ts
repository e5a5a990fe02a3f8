/**
 * From a call to the events that those who watch are told. Each is one literal: put together by spreading what they share, an end
 * costs 3 µs instead of 15 ns (Node 20).
 */
import type { FullReply } from '../context/reply.js'
import type { Exchange } from '../http/exchange.js'
import type { Channel } from '../observe/channel.js'
import type { CallEnd, CallInput, CallLocated } from '../observe/event-types.js'
import type { Endpoint, PathRecord } from './endpoint.js'

/** A call that is watched. */
export interface WatchedCall {
  readonly id: string
  readonly traceId: string | undefined
  readonly exchange: Exchange
  readonly input: CallInput
  readonly path: string
  /** Without `?`. */
  readonly query: string
  readonly prepared: Endpoint | null
  readonly record: PathRecord | null
  readonly version: string | undefined
  /** When it began, in ms. */
  readonly began: number
  /** How long it took, in ms. */
  readonly duration: number
}

/** Tells that a call begins. */
export function emitStart(channel: Channel, call: WatchedCall): void {
  if (!channel.hasListeners('start')) return
  const { id, traceId, exchange } = call
  channel.emit('start', { requestId: id, traceId, method: exchange.method, url: exchange.url })
}

/** Tells what will answer a call, once that is known and before middleware runs. */
export function emitLocated(channel: Channel, call: WatchedCall): void {
  if (!channel.hasListeners('located')) return
  channel.emit('located', locatedOf(call))
}

/** Tells that a call was answered. */
export function emitEnd(channel: Channel, call: WatchedCall, reply: FullReply): void {
  channel.timer?.record(call, reply.status)
  if (!channel.hasListeners('end')) return
  const { id, traceId, exchange, prepared, record, path, version, input, duration } = call
  const end: CallEnd = {
    requestId: id,
    traceId,
    method: exchange.method,
    route: prepared?.route,
    template: record?.path,
    path,
    version,
    status: reply.status,
    duration,
    error: reply.error,
    input,
    output: reply.body,
    meta: prepared?.meta,
    endpoint: prepared ?? undefined,
  }
  channel.emit('end', end, call)
}

/** Tells that something failed. */
export function emitError(
  channel: Channel,
  call: WatchedCall,
  failure: { readonly error: unknown; readonly message: string },
): void {
  if (!channel.hasListeners('error')) return
  channel.emit('error', { ...locatedOf(call), error: failure.error, message: failure.message })
}

function locatedOf({ id, traceId, exchange, prepared, record, path }: WatchedCall): CallLocated {
  return {
    requestId: id,
    traceId,
    method: exchange.method,
    route: prepared?.route,
    template: record?.path,
    path,
    endpoint: prepared ?? undefined,
  }
}
