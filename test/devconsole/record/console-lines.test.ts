import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { observeConsole } from '#src/devconsole/record/console-lines.js'

const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/** Puts a function into each place of `console` that keeps what it is given, as its output. */
function keepOutput(test: TestContext): unknown[][] {
  const output: unknown[][] = []
  for (const method of METHODS) {
    const before = console[method]
    console[method] = (...args: unknown[]) => void output.push([method, ...args])
    test.after(() => {
      console[method] = before
    })
  }
  return output
}

describe('observeConsole()', () => {
  it('tells of each line, and writes it as it was', (test) => {
    const output = keepOutput(test)
    const told: unknown[][] = []
    const value = { a: 1 }
    const end = observeConsole((method, args) => void told.push([method, ...args]))
    for (const method of METHODS) console[method]('%s', method, value)
    end()
    const expected = METHODS.map((method) => [method, '%s', method, value])
    assert.deepEqual([told, output], [expected, expected])
    assert.equal(output[0]?.at(-1), value)
  })

  it('hears of what other methods of console write by these', (test) => {
    const told: string[] = []
    test.mock.method(process.stderr, 'write', () => true)
    const end = observeConsole((method, args) => void told.push(`${method} ${String(args[0]).split('\n', 1).join('')}`))
    console.assert(false, 'no')
    console.trace('here')
    end()
    assert.deepEqual(told, ['warn Assertion failed: no', 'error Trace: here'])
  })

  it('leaves console as it was, to the very functions, with the last listener', () => {
    const before = METHODS.map((method) => console[method])
    const [first, second] = [observeConsole(() => {}), observeConsole(() => {})]
    assert.notEqual(console.log, before[1])
    assert.deepEqual([console.log.name, console.log.length], ['log', 0])
    first()
    assert.notEqual(console.log, before[1])
    second()
    assert.deepEqual(
      METHODS.map((method, index) => console[method] === before[index]),
      METHODS.map(() => true),
    )
  })

  it('lets what others have put over it stand, and is not placed twice then', (test) => {
    keepOutput(test)
    const told: unknown[] = []
    const own = console.log
    observeConsole(() => {})()
    assert.equal(console.log, own)
    const end = observeConsole((_method, args) => void told.push(args[0]))
    const tap = console.log
    const over = (...args: unknown[]): void => tap(...args)
    console.log = over
    end()
    assert.equal(console.log, over)
    const again = observeConsole((_method, args) => void told.push(args[0]))
    console.log('once')
    assert.deepEqual(told, ['once'])
    console.log = tap
    again()
    assert.equal(console.log, own)
  })

  it('keeps what a method is called on, and tells every listener though one throws', (test) => {
    keepOutput(test)
    const seen: unknown[] = []
    console.log = function (this: unknown) {
      seen.push(this)
    }
    const ends = [
      observeConsole(() => {
        throw new Error('no')
      }),
      observeConsole((_method, args) => void seen.push(args[0])),
    ]
    console.log('line')
    for (const end of ends) end()
    assert.deepEqual([seen[0], seen[1] === console], ['line', true])
  })

  it('tells nobody of what a listener writes, and drops what it throws', (test) => {
    const output = keepOutput(test)
    let told = 0
    const end = observeConsole(() => {
      told++
      console.log('of the listener')
      throw new Error('no')
    })
    console.log('first')
    console.log('second')
    end()
    assert.equal(told, 2)
    assert.deepEqual(
      output.map(([, text]) => text),
      ['of the listener', 'first', 'of the listener', 'second'],
    )
  })
})
