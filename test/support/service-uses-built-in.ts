/** Uses of services that are built-in objects of JavaScript and Node. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { types } from 'node:util'
import { Money, Shelf } from './service-classes.js'
import { use, type UseMaker } from './service-use.js'

const key = randomBytes(32)

export const BUILT_IN_USES: readonly UseMaker[] = [
  use(
    'Map: for-of',
    () => ({ map: new Map([[1, 'a']]) }),
    ({ map }) => {
      const seen: unknown[] = []
      for (const entry of map) seen.push(entry)
      return seen
    },
  ),
  use(
    'Map: spread and size',
    () => ({ map: new Map([[1, 'a']]) }),
    ({ map }) => [...map.keys(), map.size],
  ),
  use(
    'Map: structuredClone',
    () => ({ map: new Map([[1, 'a']]) }),
    ({ map }) => structuredClone(map),
  ),
  use(
    'Map: methods of the prototype',
    () => ({ map: new Map([[1, 'a']]) }),
    ({ map }) => Map.prototype.get.call(map, 1),
  ),
  use(
    'Set: copy',
    () => ({ set: new Set([1, 2]) }),
    ({ set }) => new Set(set),
  ),
  use(
    'Set: a class that extends it',
    () => ({ shelf: new Shelf(['a']) }),
    ({ shelf }) => [...shelf.stock('b'), shelf.size],
  ),
  use(
    'WeakMap: a key',
    () => ({ cache: new WeakMap<object, number>([[key, 1]]) }),
    ({ cache }) => [cache.get(key), cache.has({})],
  ),
  use(
    'Buffer: concat',
    () => ({ buf: Buffer.from('ab') }),
    ({ buf }) => Buffer.concat([buf, buf]).toString(),
  ),
  use(
    'Buffer: key of an HMAC',
    () => ({ buf: Buffer.from('key') }),
    ({ buf }) => createHmac('sha256', buf).update('x').digest('hex'),
  ),
  use(
    'Uint8Array: spread, length and isView',
    () => ({ bytes: Uint8Array.of(1, 2) }),
    ({ bytes }) => [...bytes, bytes.length, ArrayBuffer.isView(bytes)],
  ),
  use(
    'ArrayBuffer: a typed array on it',
    () => ({ buffer: new ArrayBuffer(4) }),
    ({ buffer }) => new Uint8Array(buffer).length,
  ),
  use(
    'Date: arithmetic and formatting',
    () => ({ date: new Date(0) }),
    ({ date }) => [Number(date), `${date.toISOString()}`, new Date(date).getTime()],
  ),
  use(
    'RegExp: replace and exec',
    () => ({ pattern: /a/g }),
    ({ pattern }) => ['banana'.replace(pattern, 'o'), pattern.exec('a')?.[0]],
  ),
  use(
    'Promise: await, then and race',
    () => ({ promise: Promise.resolve(1) }),
    async ({ promise }) => [
      await promise,
      await promise.then((one) => one + 1),
      await Promise.race([promise, new Promise(() => {})]),
    ],
  ),
  use(
    'Error: throw and instanceof',
    () => ({ problem: new RangeError('far') }),
    ({ problem }) => [problem instanceof RangeError, types.isNativeError(problem), String(problem)],
  ),
  use(
    'URL: resolve and search parameters',
    () => ({ base: new URL('http://a/b?c=1') }),
    ({ base }) => [new URL('d', base).href, base.searchParams.get('c'), URL.canParse('e', String(base))],
  ),
  use(
    'URLSearchParams: copy and for-of',
    () => ({ pairs: new URLSearchParams('a=1&a=2') }),
    ({ pairs }) => [new URLSearchParams(pairs).getAll('a'), [...pairs], String(pairs)],
  ),
  use(
    'Headers: copy',
    () => ({ common: new Headers({ a: '1' }) }),
    ({ common }) => [...new Headers(common)],
  ),
  use(
    'Request: clone',
    () => ({ call: new Request('http://a/b', { method: 'POST', body: 'c' }) }),
    async ({ call }) => [new Request(call.clone()).url, await call.text()],
  ),
  use(
    'Blob: slice and copy',
    () => ({ blob: new Blob(['abc']) }),
    async ({ blob }) => [await blob.slice(1).text(), new Blob([blob]).size],
  ),
  use(
    'AbortController: any and abort',
    () => ({ controller: new AbortController() }),
    ({ controller }) => {
      const any = AbortSignal.any([controller.signal])
      controller.abort()
      return [any.aborted, controller.signal instanceof AbortSignal]
    },
  ),
  use(
    'AbortSignal: any',
    () => ({ stop: AbortSignal.abort() }),
    ({ stop }) => AbortSignal.any([stop]).aborted,
  ),
  use(
    'EventTarget: a class that extends it',
    () => ({ bus: new (class Bus extends EventTarget {})() }),
    ({ bus }) => {
      const seen: unknown[] = []
      bus.addEventListener('a', (event) => seen.push(event.target === bus), { once: true })
      return [bus.dispatchEvent(new Event('a')), ...seen]
    },
  ),
  use(
    'Intl: a bound formatter',
    () => ({ numbers: new Intl.NumberFormat('en'), dates: new Intl.DateTimeFormat('en', { timeZone: 'UTC' }) }),
    ({ numbers, dates }) => [[1234].map(numbers.format), dates.format(0), dates.formatToParts(0).length],
  ),
  use(
    'WeakRef and FinalizationRegistry',
    () => ({ ref: new WeakRef(key), registry: new FinalizationRegistry(() => {}) }),
    ({ ref, registry }) => [ref.deref() === key, registry.unregister(key)],
  ),
  use(
    'KeyObject: export and equals',
    () => ({ secret: createSecretKey(key) }),
    ({ secret }) => [
      secret.export().equals(key),
      secret.equals(createSecretKey(key)),
      createHmac('sha1', secret) !== null,
    ],
  ),
  use(
    'AsyncLocalStorage: run',
    () => ({ storage: new AsyncLocalStorage<number>() }),
    ({ storage }) => storage.run(7, () => Promise.resolve().then(() => storage.getStore())),
  ),
  use(
    'Readable: for-await',
    () => ({ source: Readable.from(['a', 'b']) }),
    async ({ source }) => {
      const seen: unknown[] = []
      for await (const chunk of source) seen.push(chunk)
      return seen
    },
  ),
  use(
    'PassThrough: pipe, unpipe and pipeline',
    () => ({ through: new PassThrough() }),
    async ({ through }) => {
      const source = Readable.from(['a'])
      const isSame = source.pipe(through) === through
      source.unpipe(through)
      await Promise.all([pipeline(Readable.from(['b']), through), through.resume()])
      return [isSame, through.writableFinished]
    },
  ),
  use(
    'ReadableStream: tee',
    () => ({ stream: new Blob(['a']).stream() }),
    ({ stream }) => [stream.tee().length, stream.locked],
  ),
  use(
    'Array: concat, isArray and JSON',
    () => ({ list: [1, [2]] }),
    ({ list }) => [[0].concat(...list), Array.isArray(list), JSON.stringify(list), structuredClone(list)],
  ),
  use(
    'a generator that is running',
    () => ({
      numbers: (function* () {
        yield* [1, 2]
      })(),
    }),
    ({ numbers }) => [...numbers],
  ),
  use(
    'boxed values',
    () => ({ text: Object('abc') as string, count: Object(3) as number }),
    ({ text, count }) => [text.length, `${text}`, count + 1, String.prototype.at.call(text, 0)],
  ),
  use(
    'a function and a class',
    () => ({ now: () => 5, clock: Date, model: Money }),
    ({ now, clock, model }) => [now(), typeof clock.now(), new model(3) instanceof Money, model === Money],
  ),
  use(
    'primitive values',
    () => ({ limit: 5, name: 'a', none: null, missing: undefined }),
    ({ limit, name, none, missing }) => [limit, name, none, missing],
  ),
]
