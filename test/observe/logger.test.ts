import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { captureLog, type Line } from '#test/apps.js'
import { childLogger, LEVELS, createLogger, SILENT, type Logger } from '#src/observe/logger.js'

function recorder(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = []
  return {
    lines,
    logger: createLogger((level, fields, message) => void lines.push({ level, fields: { ...fields }, message })),
  }
}

const UNREADABLE = {
  get secret(): string {
    throw new Error('broken')
  },
}

describe('createLogger()', () => {
  it('passes the level of each line', () => {
    const { logger, lines } = recorder()
    for (const level of LEVELS) logger[level]({ level }, `at ${level}`)
    assert.deepEqual(
      lines,
      LEVELS.map((level) => ({ level, fields: { level }, message: `at ${level}` })),
    )
    assert.deepEqual(LEVELS, ['debug', 'info', 'warn', 'error'])
  })

  it('passes undefined for a missing message', () => {
    const { logger, lines } = recorder()
    logger.info({ a: 1 })
    assert.deepEqual(lines, [{ level: 'info', fields: { a: 1 }, message: undefined }])
  })

  it('creates child loggers whose fields override the fields of their parents', () => {
    const { logger, lines } = recorder()
    const child = logger.child?.({ a: 1, b: 1, c: 1 })
    child?.child?.({ b: 2, c: 2 }).warn({ c: 3 }, 'm')
    child?.error({})
    logger.debug({})
    assert.deepEqual(lines, [
      { level: 'warn', fields: { a: 1, b: 2, c: 3 }, message: 'm' },
      { level: 'error', fields: { a: 1, b: 1, c: 1 }, message: undefined },
      { level: 'debug', fields: {}, message: undefined },
    ])
  })

  it('drops lines below the least level, also of child loggers', () => {
    for (const [at, least] of LEVELS.entries()) {
      const written: string[] = []
      const logger = createLogger((level) => void written.push(level), least)
      for (const each of [logger, logger.child?.({ a: 1 })]) for (const level of LEVELS) each?.[level]({}, 'm')
      assert.deepEqual(written, [...LEVELS.slice(at), ...LEVELS.slice(at)])
    }
  })

  it('does not throw if fields cannot be read', () => {
    const { logger, lines } = recorder()
    logger.child?.({ a: 1 }).info(UNREADABLE, 'm')
    logger.child?.(UNREADABLE).info({ a: 1 })
    assert.deepEqual(
      lines.map(({ fields }) => fields),
      [
        { a: 1, fields: '[cannot be read]' },
        { fields: '[cannot be read]', a: 1 },
      ],
    )
  })
})

describe('SILENT', () => {
  it('ignores lines, and creates silent child loggers', () => {
    for (const level of LEVELS) assert.equal(SILENT[level]({ a: 1 }, 'm'), undefined)
    assert.equal(SILENT.child?.({ a: 1 }).info({}), undefined)
  })
})

describe('childLogger()', () => {
  it('uses the child method of the logger', () => {
    const { logger } = recorder()
    const child: Logger = { ...SILENT }
    assert.equal(childLogger({ ...logger, child: () => child }, { a: 1 }), child)
  })

  it('calls child with the logger as this, as pino requires', () => {
    const { logger } = recorder()
    const receivers: unknown[] = []
    const own: Logger = {
      ...logger,
      child(this: unknown) {
        receivers.push(this)
        return logger
      },
    }
    childLogger(own, {})
    assert.deepEqual(receivers, [own])
  })

  it('adds the fields if the logger has no child method', () => {
    const { logger, lines } = captureLog()
    const child = childLogger(childLogger(logger, { a: 1, b: 1 }), { b: 2 })
    for (const level of LEVELS) child[level]({ level }, 'm')
    assert.deepEqual(
      lines,
      LEVELS.map((level) => ({ level, fields: { a: 1, b: 2, level }, message: 'm' })),
    )
  })

  it('calls log methods with the logger as this, as pino requires', () => {
    const receivers: unknown[] = []
    const write = function (this: unknown): void {
      receivers.push(this)
    }
    const own: Logger = { debug: write, info: write, warn: write, error: write }
    childLogger(own, {}).info({})
    assert.deepEqual(receivers, [own])
  })

  it('does not throw if fields cannot be read', () => {
    const { logger, lines } = captureLog()
    childLogger(logger, { a: 1 }).info(UNREADABLE)
    assert.deepEqual(lines[0]?.fields, { a: 1, fields: '[cannot be read]' })
  })
})
