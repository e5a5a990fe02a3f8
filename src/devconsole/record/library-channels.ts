/**
 * Reports the calls of libraries that publish them on `node:diagnostics_channel`. All consoles of a process share the subscriptions.
 * Without a console, the libraries publish nothing.
 */
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { startOutgoing, type CallOutcome, type OutgoingCall, type StartedCall } from '../../observe/outgoing-call.js'
import { noop } from '../../values/noop.js'
import { isObject } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import { objectOrEmpty, type JsonRecord } from '../wire/json-schema.js'

/** Returns the call that a message describes, or `null` for a message about calls that have their own messages. */
type DescribeMessage = (message: JsonRecord) => OutgoingCall | null

/** Tracing channels: their name, and the call that a message describes. */
const TRACED: readonly (readonly [name: string, describe: DescribeMessage])[] = [
  ['mysql2:query', describeMysqlQuery],
  ['mysql2:execute', describeMysqlStatement],
  ['ioredis:command', describeRedis],
  ['node-redis:command', describeRedis],
  ['node-redis:batch', describeBatch],
  ['mongoose:query', describeMongoose],
  ['mongoose:aggregate', describeMongoose],
  ['mongoose:model:save', describeMongoose],
  ['mongoose:model:insertMany', describeMongoose],
  ['mongoose:model:bulkWrite', describeMongoose],
  ['mongoose:cursor:next', describeMongoose],
]

/** Calls in progress by their message or their request. */
const startedCalls = new WeakMap<object, StartedCall>()
let users = 0
let closers: readonly (() => void)[] = []

/** Subscribes to the channels. Returns a function that ends the subscription. */
export function openLibraryChannels(): () => void {
  if (users++ === 0) closers = [...TRACED.map(([name, describe]) => trace(name, describe)), ...openHttpChannels()]
  return () => {
    if (--users === 0) for (const close of closers) close()
  }
}

function trace(name: string, describe: DescribeMessage): () => void {
  const traced = tracingChannel(name)
  const handlers = {
    start: (message: object) => beginCall(message, () => describe(objectOrEmpty(message))),
    asyncStart: (message: object) => endCall(message, { rows: countRows(objectOrEmpty(message)['result']) }),
    error: (message: object) => failCall(message, objectOrEmpty(message)['error']),
    end: noop,
    asyncEnd: noop,
  }
  traced.subscribe(handlers)
  return () => void traced.unsubscribe(handlers)
}

function openHttpChannels(): (() => void)[] {
  return [
    listen('undici:request:create', ({ request }) => beginCall(request, () => describeFetch(objectOrEmpty(request)))),
    listen('undici:request:headers', ({ request, response }) => endCall(request, { status: readStatus(response) })),
    listen('undici:request:trailers', ({ request }) => endCall(request, {})),
    listen('undici:request:error', ({ request, error }) => failCall(request, error)),
    // Node 22.12 and later report a request in the call that creates it, so that its call site is known.
    listen('http.client.request.created', beginRequest),
    listen('http.client.request.start', beginRequest),
    listen('http.client.response.finish', ({ request, response }) =>
      endCall(request, { status: readStatus(response) }),
    ),
    listen('http.client.request.error', ({ request, error }) => failCall(request, error)),
  ]
}

function listen(name: string, handle: (message: JsonRecord) => void): () => void {
  const handler = (message: unknown): void => handle(objectOrEmpty(message))
  subscribe(name, handler)
  return () => void unsubscribe(name, handler)
}

function beginRequest({ request }: JsonRecord): void {
  if (isObject(request) && !startedCalls.has(request)) beginCall(request, () => describeRequest(request))
}

/** An error while reading a message must not reach the library. */
function beginCall(key: unknown, describe: () => OutgoingCall | null): void {
  const start = (): StartedCall | null => {
    const call = describe()
    return call && startOutgoing(call, false)
  }
  const call = valueOr(start, null)
  if (call !== null && isObject(key)) startedCalls.set(key, call)
}

function endCall(key: unknown, outcome: CallOutcome): void {
  if (isObject(key)) startedCalls.get(key)?.end(outcome)
}

function failCall(key: unknown, error: unknown): void {
  if (isObject(key)) startedCalls.get(key)?.fail(error)
}

/** The library has inserted the values into the SQL, where secrets are found by the names of their columns. */
function describeMysqlQuery({ query, database }: JsonRecord): OutgoingCall {
  return { kind: 'sql', text: formatScalar(query), target: formatOptionalScalar(database) }
}

function describeMysqlStatement(message: JsonRecord): OutgoingCall {
  return { ...describeMysqlQuery(message), params: [message['values'] ?? []].flat() }
}

/** The libraries replace values by `?` in commands that write. */
function describeRedis({ command, args, database, serverAddress }: JsonRecord): OutgoingCall {
  const words = Array.isArray(args) ? args.map(formatScalar) : []
  const name = formatScalar(command)
  // `node-redis` repeats the name as first argument.
  const text = words[0]?.toUpperCase() === name.toUpperCase() ? words.join(' ') : [name, ...words].join(' ')
  const server = formatOptionalScalar(serverAddress)
  return { kind: 'redis', text, target: server === undefined ? undefined : `${server}/${formatScalar(database ?? 0)}` }
}

/** `node-redis` reports the commands of a pipeline, but not of a transaction. */
function describeBatch({ batchMode, batchSize, ...server }: JsonRecord): OutgoingCall | null {
  if (batchMode !== 'MULTI') return null
  return describeRedis({ ...server, command: batchMode, args: [`(${formatScalar(batchSize)} commands)`] })
}

function describeMongoose({ operation, collection, args }: JsonRecord): OutgoingCall {
  const params = isObject(args) ? Object.values(args).filter((value) => value !== undefined) : []
  const target = formatOptionalScalar(collection)
  return { kind: 'mongodb', text: `${target ?? ''}.${formatScalar(operation)}`, params, target }
}

function describeFetch({ method, origin, path }: JsonRecord): OutgoingCall {
  return describeHttp(formatScalar(method), formatScalar(origin), formatScalar(path))
}

function describeRequest(request: JsonRecord): OutgoingCall {
  const { method, protocol, host, path, getHeader } = request
  const hostHeader: unknown = typeof getHeader === 'function' ? Reflect.apply(getHeader, request, ['host']) : undefined
  return describeHttp(
    formatScalar(method),
    `${formatScalar(protocol)}//${formatScalar(hostHeader ?? host)}`,
    formatScalar(path),
  )
}

function describeHttp(method: string, origin: string, path: string): OutgoingCall {
  return { kind: 'http', text: `${method} ${origin}${path}`, target: /^\w+:\/\/([^/]*)/.exec(origin)?.[1] }
}

function readStatus(response: unknown): number | undefined {
  const { statusCode } = objectOrEmpty(response)
  return typeof statusCode === 'number' ? statusCode : undefined
}

/** Returns the number of rows of a result: the length of a list, or the number of changed rows. */
function countRows(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length
  const { affectedRows, modifiedCount } = objectOrEmpty(result)
  return [affectedRows, modifiedCount].find((count) => typeof count === 'number')
}

function formatScalar(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function formatOptionalScalar(value: unknown): string | undefined {
  const text = formatScalar(value)
  return text === '' ? undefined : text
}
