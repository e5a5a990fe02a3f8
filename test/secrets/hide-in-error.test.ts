import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hideInError } from '#src/secrets/hide-in-error.js'

const hide = (text: string): string => text.replaceAll('hunter2', 'redacted')

describe('hideInError()', () => {
  it('returns errors without secrets and other values unchanged', () => {
    for (const error of [
      new Error('plain', { cause: new AggregateError([new Error('b')], 'a') }),
      7,
      null,
      undefined,
    ]) {
      assert.equal(hideInError(error, hide), error)
    }
  })

  it('copies an error with secrets, keeps its class and properties, and redacts message, stack and causes', () => {
    class Refused extends TypeError {
      readonly code = 'E_NO'
    }
    const inner = new AggregateError([new Error('hunter2'), 'hunter2', 7], 'all')
    const error = new Refused('not hunter2', { cause: inner })
    const shown = hideInError(error, hide)
    assert.ok(shown instanceof Refused && shown !== error)
    assert.deepEqual([shown.message, shown.code, shown.name], ['not redacted', 'E_NO', 'TypeError'])
    assert.ok(shown.stack?.includes('not redacted') && !shown.stack.includes('hunter2'))
    assert.ok(shown.cause instanceof AggregateError)
    const [first, ...others] = shown.cause.errors
    assert.deepEqual([first.message, others], ['redacted', ['redacted', 7]])
    assert.equal(error.message, 'not hunter2')
    // A second line about it may know less of its secrets.
    assert.equal(hideInError(error, String), shown)
  })

  it('redacts a thrown string, and copies errors whose name is a getter', () => {
    assert.equal(hideInError('is hunter2', hide), 'is redacted')
    const shown = hideInError(new DOMException('hunter2', 'AbortError'), hide)
    assert.ok(shown instanceof DOMException)
    assert.deepEqual([shown.name, shown.message], ['AbortError', 'redacted'])
  })

  it('accepts circular causes, and returns errors that cannot be read unchanged', () => {
    const circle = new Error('hunter2')
    circle.cause = circle
    assert.ok(hideInError(circle, hide) instanceof Error)
    const touchy = Object.defineProperty(new Error('a'), 'message', { get: () => assert.fail('no') })
    assert.equal(hideInError(touchy, hide), touchy)
  })
})
