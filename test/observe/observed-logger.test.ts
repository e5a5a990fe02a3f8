import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { createLogger, SILENT, type Logger } from '#src/observe/logger.js'
import { observedLogger } from '#src/observe/observed-logger.js'
import { Channel } from '#src/observe/channel.js'
import type { ObservedLine } from '#src/observe/request-recorder.js'

const none = (): null => null

function watched(): { channel: Channel; lines: ObservedLine[] } {
  const channel = new Channel()
  const lines: ObservedLine[] = []
  const observe = (): never => assert.fail('No call was observed')
  channel.observer = {
    observes: () => false,
    begin: none,
    observe,
    passed: none,
    line: (line) => void lines.push(line),
  }
  return { channel, lines }
}

describe('observedLogger()', () => {
  it('sends each line with the fields of child loggers to observers, and writes it unchanged', () => {
    const { channel, lines } = watched()
    const written: unknown[] = []
    const tapped = observedLogger(
      createLogger((level, fields, message) => void written.push([level, fields, message])),
      channel,
    )
    tapped.info({ a: 1 }, 'first')
    tapped.child?.({ requestId: 'x' }).child?.({ b: 2 }).warn({ c: 3 }, 'second')
    assert.deepEqual(lines, [
      { level: 'info', fields: { a: 1 }, message: 'first' },
      { level: 'warn', fields: { requestId: 'x', b: 2, c: 3 }, message: 'second' },
    ])
    assert.deepEqual(written, [
      ['info', { a: 1 }, 'first'],
      ['warn', { requestId: 'x', b: 2, c: 3 }, 'second'],
    ])
  })

  it('accepts lines without an observer', () => {
    const tapped = observedLogger(SILENT, new Channel())
    tapped.error({}, 'unseen')
  })

  it('sends lines of a silent logger to observers', () => {
    const { channel, lines } = watched()
    observedLogger(SILENT, channel).debug({}, 'unseen elsewhere')
    assert.equal(lines[0]?.message, 'unseen elsewhere')
  })

  it('keeps other properties, private fields and other signatures of a logger', () => {
    class Own implements Logger {
      #written: string[] = []
      readonly name = 'own'
      debug(): void {}
      warn(): void {}
      error(): void {}
      info(_fields: object | string, message?: string): void {
        this.#written.push(String(message))
      }
      child(): Logger {
        // Proof: the type forbids `undefined`, but a test double may return it.
        return undefined as unknown as Logger
      }
      all(): readonly string[] {
        return this.#written
      }
    }
    const { channel, lines } = watched()
    // Proof: the wrapper has all properties of the wrapped logger.
    const tapped = observedLogger(new Own(), channel) as Own
    tapped.info('a text alone')
    tapped.info({}, 'x')
    assert.deepEqual(tapped.all(), ['undefined', 'x'])
    assert.equal(tapped.name, 'own')
    assert.equal(tapped.child(), undefined)
    assert.deepEqual(
      lines.map(({ message, fields }) => [message, fields]),
      [
        ['a text alone', {}],
        ['x', {}],
      ],
    )
  })

  it('accepts a pino logger', () => {
    const { channel, lines } = watched()
    const written: string[] = []
    const logger = pino({}, { write: (line: string) => void written.push(line) })
    const child = observedLogger(logger, channel).child?.({ requestId: 'x' })
    child?.info({ a: 1 }, 'hello')
    child?.error({ err: new Error('e') })
    const first: Record<string, unknown> = JSON.parse(written[0] ?? '{}')
    assert.deepEqual([first['requestId'], first['a'], first['msg']], ['x', 1, 'hello'])
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['hello', ''],
    )
  })
})
