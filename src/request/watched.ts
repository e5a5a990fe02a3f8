/**
 * What a call does only while somebody follows all calls: it tells its trail of services, of what it sends and of its end, or that
 * it was answered where it leaves none. Where nobody follows calls none of this is reached.
 */
import { checkedChunk } from '../http/chunks.js'
import type { Answer, Exchange, SentListener } from '../http/exchange.js'
import { isChunks, type Payload } from '../http/payload.js'
import { viewService } from '../observe/service-view.js'
import { PHASE, type CallObserver, type PassedCall, type Trail } from '../observe/trail.js'
import { CallFacts, type FollowedCall } from './call-facts.js'
import type { Endpoint } from './endpoint.js'

/** Whose services are read: routes by their trail, and the one whose constructor is running. */
const trails = new WeakMap<object, Trail>()
let making: Trail | null = null

/** Tells a trail what was found at the target of its call. */
export function follow({ prepared, record }: FollowedCall, trail: Trail): void {
  trail.endpoint = prepared
  trail.template = record === null ? null : record.path
}

/** Makes the instance that answers a call. */
export function createFollowed(trail: Trail, create: new () => object): object {
  const outer = making
  making = trail
  try {
    const instance = new create()
    trails.set(instance, trail)
    return instance
  } finally {
    making = outer
  }
}

/** How a service stands on the prototype of a route, in an app whose calls may be followed. */
export function followedService(name: string, value: unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: object) {
      const trail = trails.get(this) ?? making
      return trail === null ? value : viewService(name, value, trail)
    },
  }
}

/** Begins to follow a call that was to be counted only, as long as its end can be told. */
export function followFromNow(call: LateCall): void {
  const { watcher } = call
  if (watcher === null || call.stage === 'sent') return
  leave(call, watcher.observe(call.exchange, call.began))
}

/**
 * Counts a call without a trail that was answered. One that is notable gets a trail after all; who sent its answer ends
 * it.
 */
export function countPassed(call: LateCall): void {
  if (call.watcher === null) return
  const trail = call.watcher.passed(call, call.dispatched === null ? 0 : call.dispatched.status)
  if (trail !== null) leave(call, trail)
}

function leave(call: LateCall, trail: Trail): void {
  call.trail = trail
  trail.sources = new CallFacts(call)
  follow(call, trail)
}

/**
 * Sends an answer where calls are followed. Where somebody else is told when it has left, the trail is told then, too.
 */
export function sendFollowed(call: LateCall, { answer, listener }: Sending): void {
  const { exchange, trail } = call
  if (trail !== null) trail.enter(PHASE.send)
  call.dispatched = exchange.aborted ? null : answer
  if (listener === null) {
    exchange.send(answer, null)
    return
  }
  const told: SentListener = {
    sent: (error) => {
      listener.sent(error)
      if (call.trail !== null) endTrail(call, call.trail)
    },
  }
  exchange.send({ ...answer, payload: counted(answer.payload, call) }, told)
}

/** Tells a trail of its end once an answer that nobody waits for has left. */
export function endWhenLeft(call: FollowedCall, trail: Trail): void {
  call.exchange.onLeft(() => endTrail(call, trail))
}

/** A call that may leave a trail from later on. */
export interface LateCall extends FollowedCall, PassedCall {
  /** Who follows it; `null` where nobody does. */
  readonly watcher: CallObserver | null
  readonly exchange: Exchange
  readonly prepared: Endpoint | null
  readonly stage: string
  trail: Trail | null
  dispatched: Answer | null
  streamed: number
}

/** An answer, and who is told when it has left. */
export interface Sending {
  readonly answer: Answer
  readonly listener: SentListener | null
}

function counted(payload: Payload, call: LateCall): Payload {
  const { data } = payload
  if (!isChunks(data)) return payload
  const next = async (): Promise<IteratorResult<unknown>> => {
    const result = await data.next()
    if (result.done !== true) call.streamed += Buffer.byteLength(checkedChunk(result.value))
    return result
  }
  return { ...payload, data: { next, cancel: () => data.cancel() } }
}

/** Tells a trail of its end. */
export function endTrail(call: FollowedCall, trail: Trail): void {
  trail.stop()
  trail.end(new CallFacts(call))
}
