/**
 * Reports the calls of libraries that publish them on `node:diagnostics_channel`. All consoles of a process share the subscriptions.
 * Without a console, the libraries publish nothing.
 */
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { startOutgoing, type CallOutcome, type OutgoingCall, type StartedCall } from '../../observe/outgoing-call.js'
import { isObject, isObjectOrFunction } from '../../values/objects.js'
import { valueOr } from '../../values/quietly.js'

type Message = Readonly<Record<string, unknown>>

/** Tracing channels: their name, and the call that a message describes. */
const TRACED: readonly (readonly [name: string, describe: (message: Message) => OutgoingCall])[] = [
  ['mysql2:query', describeMysql],
  ['mysql2:execute', describeMysql],
  ['ioredis:command', describeRedis],
  ['node-redis:command', describeRedis],
  ['mongoose:query', describeMongoose],
  ['mongoose:aggregate', describeMongoose],
  ['mongoose:model:save', describeMongoose],
  ['mongoose:model:insertMany', describeMongoose],
  ['mongoose:model:bulkWrite', describeMongoose],
  ['mongoose:cursor:next', describeMongoose],
]

/** Calls in progress by their message or their request. */
const started = new WeakMap<object, StartedCall>()
let users = 0
let closers: readonly (() => void)[] = []

/** Subscribes to the channels. Returns a function that ends the subscription. */
export function openLibraryChannels(): () => void {
  if (users++ === 0) closers = [...TRACED.map(([name, describe]) => trace(name, describe)), ...openHttpChannels()]
  return () => {
    if (--users === 0) for (const close of closers) close()
  }
}

function trace(name: string, describe: (message: Message) => OutgoingCall): () => void {
  const traced = tracingChannel(name)
  const handlers = {
    start: (message: object) => begin(message, () => describe(readFields(message))),
    asyncStart: (message: object) => end(message, { rows: countRows(readFields(message)['result']) }),
    error: (message: object) => fail(message, readFields(message)['error']),
    end: ignore,
    asyncEnd: ignore,
  }
  traced.subscribe(handlers)
  return () => void traced.unsubscribe(handlers)
}

function ignore(): void {}

function openHttpChannels(): (() => void)[] {
  return [
    listen('undici:request:create', ({ request }) => begin(request, () => describeFetch(readFields(request)))),
    listen('undici:request:headers', ({ request, response }) => end(request, { status: readStatus(response) })),
    listen('undici:request:trailers', ({ request }) => end(request, {})),
    listen('undici:request:error', ({ request, error }) => fail(request, error)),
    listen('http.client.request.start', ({ request }) => begin(request, () => describeRequest(readFields(request)))),
    listen('http.client.response.finish', ({ request, response }) => end(request, { status: readStatus(response) })),
    listen('http.client.request.error', ({ request, error }) => fail(request, error)),
  ]
}

function listen(name: string, handle: (message: Message) => void): () => void {
  const handler = (message: unknown): void => handle(readFields(message))
  subscribe(name, handler)
  return () => void unsubscribe(name, handler)
}

/** An error while reading a message must not reach the library. */
function begin(key: unknown, describe: () => OutgoingCall): void {
  const call = valueOr(() => startOutgoing(describe(), false), null)
  if (call !== null && isObject(key)) started.set(key, call)
}

function end(key: unknown, outcome: CallOutcome): void {
  if (isObject(key)) started.get(key)?.end(outcome)
}

function fail(key: unknown, error: unknown): void {
  if (isObject(key)) started.get(key)?.fail(error)
}

function describeMysql({ query, values, database }: Message): OutgoingCall {
  const params = [values ?? []].flat()
  return { kind: 'sql', text: readText(query), params, target: readOptionalText(database) }
}

/** The libraries replace values by `?` in commands that write. */
function describeRedis({ command, args, database, serverAddress }: Message): OutgoingCall {
  const words = Array.isArray(args) ? args.map(readText) : []
  const name = readText(command)
  // `node-redis` repeats the name as first argument.
  const text = words[0]?.toUpperCase() === name.toUpperCase() ? words.join(' ') : [name, ...words].join(' ')
  const server = readOptionalText(serverAddress)
  return { kind: 'redis', text, target: server === undefined ? undefined : `${server}/${readText(database ?? 0)}` }
}

function describeMongoose({ operation, collection, args }: Message): OutgoingCall {
  const params = isObject(args) ? Object.values(args).filter((value) => value !== undefined) : []
  const target = readOptionalText(collection)
  return { kind: 'mongodb', text: `${target ?? ''}.${readText(operation)}`, params, target }
}

function describeFetch({ method, origin, path }: Message): OutgoingCall {
  return describeHttp(readText(method), readText(origin), readText(path))
}

function describeRequest(request: Message): OutgoingCall {
  const { method, protocol, host, path, getHeader } = request
  const sent: unknown = typeof getHeader === 'function' ? Reflect.apply(getHeader, request, ['host']) : undefined
  return describeHttp(readText(method), `${readText(protocol)}//${readText(sent ?? host)}`, readText(path))
}

function describeHttp(method: string, origin: string, path: string): OutgoingCall {
  return { kind: 'http', text: `${method} ${origin}${path}`, target: /^\w+:\/\/([^/]*)/.exec(origin)?.[1] }
}

function readStatus(response: unknown): number | undefined {
  const { statusCode } = readFields(response)
  return typeof statusCode === 'number' ? statusCode : undefined
}

/** Rows of a result: the length of a list, or the number of changed rows. */
function countRows(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length
  const { affectedRows, modifiedCount } = readFields(result)
  return [affectedRows, modifiedCount].find((count) => typeof count === 'number')
}

function readText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function readOptionalText(value: unknown): string | undefined {
  const text = readText(value)
  return text === '' ? undefined : text
}

function readFields(value: unknown): Message {
  // Proof: any object can be read as fields of unknown type.
  return isObjectOrFunction(value) ? (value as Message) : {}
}
