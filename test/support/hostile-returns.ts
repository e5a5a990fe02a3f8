/** Hostile values that a handler, hook or store could return or throw. */
/* oxlint-disable unicorn/no-thenable -- the tests need thenables */
import { Readable } from 'node:stream'
import { HttpError, reply } from 'verbena'
import { noop } from '#src/values/noop.js'

function fails(): never {
  throw new Error('hostile')
}

/** Adds a property that throws when it is read. */
function throwing(key: PropertyKey, base: object = {}): object {
  return Object.defineProperty(base, key, { get: fails, enumerable: true, configurable: true })
}

function revokedProxy(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function cycle(): object {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

function nested(depth: number): unknown {
  let value: unknown = null
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

/** Throws at every operation, as a proxy around an object of another realm can. */
const FAILING_TRAPS: ProxyHandler<object> = {
  get: fails,
  has: fails,
  ownKeys: fails,
  getPrototypeOf: fails,
  getOwnPropertyDescriptor: fails,
}

class Subclass extends HttpError {
  override get message(): string {
    return fails()
  }
  override set message(_: string) {}
}

function thenable(act: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): object {
  return Object.defineProperty({}, 'then', { value: act, enumerable: true })
}

function iterator(members: object): object {
  return { [Symbol.asyncIterator]: () => members }
}

export async function* hostileGenerator(...chunks: readonly unknown[]): AsyncGenerator<unknown, void, undefined> {
  yield* chunks
}

async function* failingAfter(chunk: unknown): AsyncGenerator<unknown, void, undefined> {
  yield chunk
  fails()
}

const never = new Promise<never>(() => {})
/** A promise whose rejection is handled. Verbena must also handle the promises that it derives from it. */
function rejection(reason: unknown = new Error('rejected')): Promise<never> {
  const promise = Promise.reject(reason)
  promise.catch(noop)
  return promise
}
const done = { done: true, value: undefined }

/** Values that no handler, hook or store should return. Each call creates a new one. */
export const HOSTILE: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  '-0': () => -0,
  'a bigint': () => 7n,
  'a symbol': () => Symbol('hostile'),
  'a registered symbol': () => Symbol.for('hostile'),
  'an empty string': () => '',
  'a lone surrogate': () => '\ud800',
  'control characters': () => 'a\r\nb: c\0',
  'a string of 1 MB': () => 'a'.repeat(1_000_000),
  'a string beyond Latin-1': () => '\u2713',
  'a boxed string': () => new String('a'),
  'a boxed number': () => new Number(7),
  'an invalid date': () => new Date(Number.NaN),
  'a regular expression': () => /a/g,
  'a function': () => () => {},
  'a class': () => class {},
  'a generator function': () => hostileGenerator,
  'an object without prototype': () => Object.create(null),
  'a frozen object': () => Object.freeze({ a: 1 }),
  'an object with __proto__': () => JSON.parse('{"__proto__":{"polluted":true}}'),
  'an object with a constructor': () => ({ constructor: { prototype: null } }),
  'a sparse array': () => Object.assign([], { length: 1_000 }),
  'an array with properties': () => Object.assign([1], { then: 7 }),
  'a cycle': cycle,
  'nested 10,000 levels': () => nested(10_000),
  'a Map': () => new Map([['a', 1]]),
  'a WeakMap': () => new WeakMap(),
  'a revoked proxy': () => revokedProxy({}),
  'a revoked proxy of an array': () => revokedProxy([]),
  'a revoked proxy of a function': () => revokedProxy(fails),
  'a proxy whose traps throw': () => new Proxy({}, FAILING_TRAPS),
  'a proxy of an error': () => new Proxy(new HttpError(400), FAILING_TRAPS),
  'a throwing getter': () => throwing('a'),
  'a throwing status': () => throwing('status'),
  'a throwing toJSON': () => ({ toJSON: fails }),
  'a getter of toJSON': () => throwing('toJSON'),
  'toJSON that returns itself': () => {
    const value = { toJSON: () => value }
    return value
  },
  'toJSON that returns a function': () => ({ toJSON: () => fails }),
  'a throwing toString': () => ({ toString: fails, [Symbol.toPrimitive]: fails }),
  'a throwing toStringTag': () => throwing(Symbol.toStringTag),
  'a throwing asyncIterator': () => throwing(Symbol.asyncIterator),
  'an error without a stack': () => Object.assign(new Error('a'), { stack: undefined }),
  'an error with a throwing message': () => throwing('message', new Error('a')),
  'an error with a throwing stack': () => throwing('stack', new Error('a')),
  'an error with a throwing cause': () => throwing('cause', new Error('a')),
  'an error that is its own cause': () => {
    const error = new Error('a')
    return Object.assign(error, { cause: error })
  },
  'a subclass of HttpError': () => new Subclass(400, 'a'),
  'an HttpError with a throwing detail': () => throwing('detail', new HttpError(400, 'a')),
  'an HttpError with a changed status': () => Object.assign(new HttpError(400), { status: 99 }),
  'an HttpError with changed headers': () => Object.assign(new HttpError(400), { headers: { 'x-a': undefined } }),
  'an HttpError with a cyclic member': () => new HttpError(400, 'a', { a: cycle() }),
  'a promise that rejects': () => rejection(),
  'a promise that rejects with null': () => rejection(null),
  'a promise of a promise': () => Promise.resolve({ a: rejection() }),
  'a promise in an array': () => [rejection()],
  'a thenable that throws': () => thenable(fails),
  'a thenable that settles twice': () =>
    thenable((resolve, reject) => {
      resolve(1)
      reject(new Error('twice'))
      resolve(2)
    }),
  'a getter of then': () => throwing('then'),
  'an endless iterator': () => ({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }),
  'an endless async iterator': () => iterator({ next: async () => ({ done: false, value: 'a' }) }),
  'an async iterator that never yields': () => iterator({ next: () => never, return: async () => done }),
  'an async iterator whose return throws': () => iterator({ next: () => rejection(), return: fails }),
  'an async iterator without results': () => iterator({ next: async () => undefined }),
  'an async iterator that is not one': () => iterator({}),
  'a generator of objects': () => hostileGenerator({}, 1, null),
  'a generator that fails at its second chunk': () => failingAfter('a'),
  'a destroyed stream': () => Readable.from(['a']).destroy(),
  'a stream that fails': () => new Readable({ read: fails }),
  'a locked web stream': () => {
    const locked = new ReadableStream()
    locked.getReader()
    return locked
  },
  'an error Response': () => Response.error(),
  'a Response with a throwing status': () => throwing('status', new Response('a')),
  'a reply with a hostile body': () => reply(200, throwing('toJSON')),
  'a reply with a missing status': () => Object.assign(reply(200, 'a'), { status: undefined }),
}

/** Values for places with a time limit. */
export const PENDING: Readonly<Record<string, () => unknown>> = {
  'a promise that never settles': () => never,
  'a thenable that never settles': () => thenable(() => {}),
}
