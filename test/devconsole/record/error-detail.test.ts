import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collectFrames } from '#src/devconsole/host/stack.js'
import { describeError, nameOfError, nameRoute, summarizeError } from '#src/devconsole/record/error-detail.js'
import type { ErrorDetail } from '#src/devconsole/wire/request-types.js'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { Secrets } from '#src/secrets/secrets.js'

const hider = new RequestRedactor(new Secrets())
const described = (error: unknown) => describeError(error, process.cwd(), hider)

describe('describeError()', () => {
  it('describes an error with causes and members, and numbers all frames', () => {
    const error = new AggregateError([new TypeError('one'), 'two'], 'both', { cause: new RangeError('why') })
    const detail = described(error)
    assert.deepEqual([detail.name, detail.message, detail.cause?.name], ['AggregateError', 'both', 'RangeError'])
    assert.deepEqual(
      detail.members.map(({ name, message }) => `${name}: ${message}`),
      ['TypeError: one', '(string): two'],
    )
    const numbers = collectFrames(detail).map(({ n }) => n)
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index),
    )
    assert.equal(detail.frames[0]?.file, 'test/devconsole/record/error-detail.test.ts')
  })

  it('uses the messages of the members if an error has no message', () => {
    const refused = new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1'), 7])
    const { message, frames, members } = described(refused)
    assert.deepEqual([message, members.length], ['refused ::1, refused 127.0.0.1, 7', 3])
    assert.equal(frames[0]?.file, 'test/devconsole/record/error-detail.test.ts')
    assert.equal(described(new Error()).message, '')
  })

  it('redacts secrets in messages', () => {
    assert.equal(described(new Error('failed at ?token=abc')).message, 'failed at ?token=redacted')
  })

  it('returns the code of an error if it is a string, without secrets', () => {
    const codeOf = (code: unknown) => described(Object.assign(new Error('x'), { code })).code
    assert.deepEqual([codeOf('ECONNREFUSED'), codeOf('token=abc')], ['ECONNREFUSED', 'token=redacted'])
    assert.deepEqual(['code' in described(new Error('x')), codeOf(5), codeOf('')], [false, undefined, undefined])
    assert.equal(described({ code: 'X' }).code, undefined)
  })

  it('follows at most five causes, including circular causes', () => {
    const circle = new Error('circle')
    circle.cause = circle
    let depth = 0
    for (let detail = described(circle).cause; detail !== null; detail = detail.cause) depth++
    assert.equal(depth, 5)
  })

  it('describes at most 50 errors and 200 frames', () => {
    const grown = (levels: number): Error =>
      new AggregateError(levels === 0 ? [] : [1, 2, 3, 4, 5].map(() => grown(levels - 1)), 'x', {
        cause: new Error('y'),
      })
    const detail = described(grown(4))
    const all = (error: ErrorDetail): ErrorDetail[] => [
      error,
      ...[error.cause ?? [], error.members].flat().flatMap(all),
    ]
    assert.equal(all(detail).length, 50)
    assert.equal(collectFrames(detail).length, 200)
  })

  it('describes any thrown value without throwing', () => {
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('no')
      },
      getPrototypeOf: () => {
        throw new Error('no')
      },
    })
    assert.equal(described(hostile).name, '(unreadable)')
    assert.equal(described(null).message, 'null')
    assert.equal(described(Object.create(null)).message, '[cannot be read]')
    assert.equal(nameOfError(5), '(number)')
    const bare = Object.defineProperty(new Error('bare'), 'stack', { value: undefined })
    assert.deepEqual(described(bare).frames, [])
  })
})

describe('nameRoute()', () => {
  it('removes the underscore of the compiler only from the class name of the route, also in causes and members', () => {
    const named = (name: string) => {
      const error = new Error('x')
      error.stack = `Error: x\n    at ${name} (${process.cwd()}/app.ts:1:1)`
      return error
    }
    const outer = named('_Orders.get')
    outer.cause = new AggregateError([named('async _Orders.post')], 'both', { cause: named('_OrdersOf.get') })
    const own = collectFrames(nameRoute(described(outer), 'Orders')).map((frame) => frame.function)
    assert.deepEqual(
      own.filter((name) => name.includes('Orders')),
      ['Orders.get', '_OrdersOf.get', 'Orders.post'],
    )
  })
})

describe('summarizeError()', () => {
  it('returns the message, the messages of members, or the name', () => {
    const unreadable = new AggregateError([])
    Reflect.set(unreadable, 'errors', null)
    const errors = [new Error('a'), new AggregateError([new Error('b')]), new TypeError(), unreadable, 'text']
    assert.deepEqual(errors.map(summarizeError), ['a', 'b', 'TypeError', 'AggregateError', 'text'])
  })
})
