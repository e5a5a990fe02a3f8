import assert from 'node:assert/strict'
import fc from 'fast-check'
import { jsonLogger, showControls, terminalLogger, defaultLogger } from '#src/observe/loggers.js'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'

/** Parses the written log entry, which must be one line for any fields. */
function lineOf(fields: object, message?: string): Record<string, unknown> {
  const written: string[] = []
  jsonLogger((text) => void written.push(text)).info(fields, message)
  assert.equal(written.length, 1)
  assert.match(written[0] ?? '', /^\{[^\n\r]*\}\n$/)
  return JSON.parse(written[0] ?? '')
}

class Odd extends Error {
  readonly detail = 7
}

/** An error of which a member cannot be read. */
function unreadable(member: 'stack' | 'message' | 'code'): Error {
  const error = new Error('hidden')
  // Node makes the text of a stack when it is first read, and looks at the message then.
  error.stack = 'Error: hidden\n    at here'
  return Object.defineProperty(error, member, {
    enumerable: true,
    get() {
      throw new Error('broken')
    },
  })
}

describe('jsonLogger()', () => {
  it('writes level, time, fields and message, in this order', () => {
    const line = lineOf({ a: 1, b: 'x' }, 'm')
    assert.deepEqual(Object.keys(line), ['level', 'time', 'a', 'b', 'msg'])
    assert.deepEqual({ ...line, time: '' }, { level: 'info', time: '', a: 1, b: 'x', msg: 'm' })
    assert.equal(new Date(String(line['time'])).toISOString(), line['time'])
  })

  it('omits a missing message', () => {
    assert.deepEqual(Object.keys(lineOf({})), ['level', 'time'])
  })

  it('includes the fields of parent loggers', () => {
    const written: string[] = []
    jsonLogger((text) => void written.push(text))
      .child?.({ a: 1 })
      .error({ b: 2 })
    assert.match(written[0] ?? '', /"level":"error".*"a":1,"b":2/)
  })

  it('escapes line breaks in keys, values and messages', () => {
    const line = lineOf({ 'a\n': '\r\n{"level":"error"}' }, 'x\ny\u0000')
    assert.deepEqual([line['a\n'], line['msg']], ['\r\n{"level":"error"}', 'x\ny\u0000'])
  })

  it('writes the properties, stack and cause of an error', () => {
    const error = new Odd('outer', { cause: new TypeError('inner') })
    const shown = lineOf({ err: error })['err']
    const inner = { type: 'TypeError', message: 'inner', stack: error.cause instanceof Error && error.cause.stack }
    assert.deepEqual(shown, { detail: 7, type: 'Error', message: 'outer', stack: error.stack, cause: inner })
  })

  it('writes errors that are nested in other values', () => {
    const line = lineOf({ errors: [{ err: new Error('deep') }] })
    assert.match(JSON.stringify(line), /"message":"deep"/)
  })

  it('writes a bigint as its digits', () => {
    assert.equal(lineOf({ n: 12345678901234567890n })['n'], '12345678901234567890')
  })

  it('replaces only the values that cannot be serialized', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const throwing = {
      toJSON() {
        throw new Error('broken')
      },
    }
    const line = lineOf({ a: 1, text: 'x', n: 7n, cycle, throwing, fine: { b: 2 }, nothing: null }, 'm')
    assert.deepEqual(
      { ...line, time: '' },
      {
        level: 'info',
        time: '',
        a: 1,
        text: 'x',
        n: '7',
        cycle: '[cannot be serialized]',
        throwing: '[cannot be serialized]',
        fine: { b: 2 },
        nothing: null,
        msg: 'm',
      },
    )
  })

  it('writes the stack of an error whose other properties cannot be read', () => {
    for (const member of ['message', 'code'] as const) {
      const error = unreadable(member)
      assert.deepEqual(lineOf({ err: error })['err'], { type: 'Error', stack: error.stack }, member)
    }
    assert.deepEqual(lineOf({ err: unreadable('stack') })['err'], { type: 'Error', stack: '[cannot be read]' })
  })

  it('accepts circular causes', () => {
    const error = new Error('a')
    error.cause = new Error('b', { cause: error })
    assert.deepEqual(lineOf({ err: error })['err'], { type: 'Error', stack: error.stack })
  })

  it('does not throw if fields cannot be read', () => {
    const fields = {
      get secret(): string {
        throw new Error('broken')
      },
    }
    assert.equal(lineOf(fields, 'm')['fields'], '[cannot be read]')
  })

  it('never throws, and writes one line for any fields', () => {
    fc.assert(
      fc.property(fc.object({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }), (fields) => {
        const { time: _, ...own } = fields
        assert.equal(lineOf({ ...own, level: 'info' })['level'], 'info')
      }),
    )
  })
})

/** Characters that can end a line, move a cursor, or reverse the direction of writing. */
const CONTROLS: readonly (readonly [about: string, char: string])[] = [
  ['NUL', '\u0000'],
  ['backspace', '\b'],
  ['line feed', '\n'],
  ['carriage return', '\r'],
  ['escape', '\u001b'],
  ['delete', '\u007f'],
  ['next line (C1)', '\u0085'],
  ['control sequence introducer (C1)', '\u009b'],
  ['Arabic letter mark', '\u061c'],
  ['left-to-right mark', '\u200e'],
  ['right-to-left mark', '\u200f'],
  ['line separator', '\u2028'],
  ['paragraph separator', '\u2029'],
  ['left-to-right embedding', '\u202a'],
  ['right-to-left override', '\u202e'],
  ['left-to-right isolate', '\u2066'],
  ['pop directional isolate', '\u2069'],
]

describe('showControls()', () => {
  for (const [about, char] of CONTROLS) {
    it(`escapes ${about}, also in JSON lines`, () => {
      const escaped = `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
      assert.equal(showControls(`a${char}b${char}`), `a${escaped}b${escaped}`)
      const written: string[] = []
      jsonLogger((text) => void written.push(text)).info({ [`k${char}`]: `v${char}` }, `m${char}`)
      const [line = ''] = written
      assert.ok(!line.slice(0, -1).includes(char), JSON.stringify(line))
      const { level: _level, time: _time, ...rest } = JSON.parse(line)
      assert.deepEqual(rest, { [`k${char}`]: `v${char}`, msg: `m${char}` })
    })
  }

  it('keeps all other characters', () => {
    const text = 'aÄß 😀 \u00a0\u200d\u2027\u2030\\u000a"'
    assert.equal(showControls(text), text)
  })
})

/** Returns the output without its colors, which depend on the terminal of the tests. */
function shown(fields: object, message?: string): string {
  const written: string[] = []
  terminalLogger((text) => void written.push(text)).info(fields, message)
  assert.equal(written.length, 1)
  return stripVTControlCharacters(written[0] ?? '')
}

const after = (text: string): string => text.replace(/^\d\d:\d\d:\d\d /, '')

describe('terminalLogger()', () => {
  it('writes time, level, message and fields', () => {
    assert.match(shown({}), /^\d\d:\d\d:\d\d info \n$/)
    assert.equal(
      after(shown({ a: 1, b: 'x y', c: [1], d: null, e: undefined }, 'm')),
      'info  m a=1 b=x y c=[1] d=null e=undefined\n',
    )
  })

  it('pads all levels to the same width', () => {
    const written: string[] = []
    const logger = terminalLogger((text) => void written.push(text))
    logger.debug({}, 'm')
    logger.info({}, 'm')
    logger.warn({}, 'm')
    logger.error({}, 'm')
    assert.deepEqual(
      written.map((text) => after(stripVTControlCharacters(text))),
      ['debug m\n', 'info  m\n', 'warn  m\n', 'error m\n'],
    )
  })

  it('includes the fields of parent loggers', () => {
    const written: string[] = []
    terminalLogger((text) => void written.push(text))
      .child?.({ a: 1 })
      .info({ b: 2 }, 'm')
    assert.match(stripVTControlCharacters(written[0] ?? ''), /m a=1 b=2\n$/)
  })

  it('escapes control characters in message, keys and values', () => {
    const cases: readonly (readonly [sent: string, visible: string])[] = [
      ['a\nb', 'a\\u000ab'],
      ['a\rb', 'a\\u000db'],
      ['a\tb', 'a\\u0009b'],
      ['a\u0000b', 'a\\u0000b'],
      ['a\u0007b', 'a\\u0007b'],
      ['a\bb', 'a\\u0008b'],
      ['a\u007fb', 'a\\u007fb'],
      ['a\u0085b', 'a\\u0085b'],
      ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
      ['a\u202eb', 'a\\u202eb'],
      ['a\u2066b\u2069c', 'a\\u2066b\\u2069c'],
      ['\u001b[31mred\u001b[0m', 'red'],
      ['\u001b[2J', ''],
      ['äß😀', 'äß😀'],
    ]
    for (const [sent, visible] of cases) {
      assert.equal(after(shown({}, `<${sent}>`)), `info  <${visible}>\n`)
      assert.equal(after(shown({ a: sent })), `info  a=${visible}\n`)
      assert.equal(after(shown({ [`<${sent}>`]: 1 })), `info  <${visible}>=1\n`)
    }
  })

  it('prevents messages and fields from forging a line or moving the cursor', () => {
    const unit = fc.constantFrom('a', '\n', '\r', '\u001b', '[', ']', '2', 'J', '\u009b', '\u0007', '\u2028', ';', '\\')
    const text = fc.string({ unit })
    fc.assert(
      fc.property(text, text, (message, value) => {
        const written: string[] = []
        terminalLogger((line) => void written.push(line)).info({ [value]: value }, message)
        // oxlint-disable-next-line no-control-regex -- colours begin with one
        const colourless = (written[0] ?? '').replaceAll(/\u001b\[\d+m/g, '')
        // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
        assert.match(colourless, /^[^\u0000-\u001f\u007f-\u009f\u2028]*\n$/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('writes values that JSON cannot represent', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const odd = Object.assign(Object.create(null), { toJSON: () => undefined })
    assert.equal(after(shown({ n: 7n })), 'info  n=7\n')
    assert.equal(after(shown({ list: [1n] })), 'info  list=["1"]\n')
    assert.equal(after(shown({ s: Symbol('x') })), 'info  s=Symbol(x)\n')
    assert.equal(after(shown({ cycle })), 'info  cycle=[cannot be serialized]\n')
    assert.equal(after(shown({ odd })), 'info  odd=[cannot be serialized]\n')
  })

  it('writes the stack of an error below the line', () => {
    const error = new Error('outer\u001b[2J')
    error.stack = 'Error: outer\u001b[2J!\u0007\n    at a\n    at b'
    assert.equal(
      after(shown({ a: 1, err: error }, 'm')),
      'info  m a=1\n      Error: outer!\\u0007\n          at a\n          at b\n',
    )
  })

  it('writes any thrown value', () => {
    const stackless = new Error('plain')
    Reflect.deleteProperty(stackless, 'stack')
    Object.defineProperty(stackless, 'stack', { value: undefined })
    const unreadable = Object.defineProperty(new Error('hidden'), 'stack', {
      get() {
        throw new Error('broken')
      },
    })
    const cases: readonly (readonly [thrown: unknown, text: string])[] = [
      ['text', '"text"'],
      [null, 'null'],
      [7n, '7'],
      [{ status: 200 }, '{"status":200}'],
      [stackless, 'plain'],
      [unreadable, '[cannot be read]'],
    ]
    for (const [thrown, text] of cases) assert.equal(after(shown({ err: thrown })), `info \n      ${text}\n`)
    assert.equal(after(shown({ err: undefined })), 'info \n')
  })

  it('does not throw if fields cannot be read', () => {
    const fields = {
      get secret(): string {
        throw new Error('broken')
      },
    }
    assert.equal(after(shown(fields, 'm')), 'info  m fields=[cannot be read]\n')
  })
})

function written(isTTY: boolean | undefined): string {
  const texts: string[] = []
  const stream = {
    isTTY,
    texts,
    write(text: string) {
      return this.texts.push(text)
    },
  }
  defaultLogger(stream).info({ a: 1 }, 'm')
  return stripVTControlCharacters(texts.join(''))
}

describe('defaultLogger()', () => {
  it('writes readable lines to a terminal', () => {
    assert.match(written(true), /^\d\d:\d\d:\d\d info {2}m a=1\n$/)
  })

  it('drops lines below the least level, on a terminal and on other streams', () => {
    for (const isTTY of [true, false]) {
      const written: string[] = []
      const logger = defaultLogger({ isTTY, write: (text: string) => written.push(text) }, 'warn')
      logger.info({}, 'below')
      logger.warn({}, 'level')
      assert.equal(written.length, 1)
      assert.match(written[0] ?? '', /level/)
    }
  })

  it('writes JSON lines to other streams', () => {
    for (const isTTY of [false, undefined]) assert.match(written(isTTY), /^\{"level":"info",.*"a":1,"msg":"m"\}\n$/)
  })
})
