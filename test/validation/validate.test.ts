import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schema } from '#src/validation/schema.js'
import { validate } from '#src/validation/validate.js'
import { readOutcome, type ReadOutcome } from '#test/issues.js'

function schemaOf(validate: (value: unknown) => unknown): Schema {
  return { '~standard': { version: 1, vendor: 'own', validate } }
}

function failing(issues: unknown): Schema {
  return schemaOf(() => ({ issues }))
}

/** Returns the outcome of a synchronous validation, with parsed issues. */
function outcomeOf(schema: Schema, value: unknown): ReadOutcome {
  const outcome = validate(schema, value)
  assert.ok(!(outcome instanceof Promise))
  return readOutcome(outcome)
}

describe('validate()', () => {
  it('returns the value of a synchronous schema without a promise', () => {
    const outcome = validate(
      schemaOf((value) => ({ value: [value] })),
      1,
    )
    assert.deepEqual(outcome, { value: [1], issues: undefined })
  })

  it('returns a promise if the schema returns a thenable', async () => {
    const outcome = validate(
      schemaOf(async (value) => ({ value })),
      1,
    )
    assert.ok(outcome instanceof Promise)
    assert.deepEqual(await outcome, { value: 1, issues: undefined })
  })

  it('returns only message and JSON Pointer of an issue', () => {
    const issue = { message: 'Bad', path: ['a/b', { key: 'c~d' }, 0, Symbol('s')], input: 'secret' }
    assert.deepEqual(outcomeOf(failing([issue]), {}), {
      value: undefined,
      issues: [{ pointer: '/a~1b/c~0d/0/Symbol(s)', message: 'Bad' }],
    })
  })

  it('stores the code of an issue in a property that is not enumerable', () => {
    const codesOf = (issue: object) => {
      const outcome = outcomeOf(failing([{ message: 'Bad', ...issue }]), {})
      assert.deepEqual(Object.keys(outcome.issues?.[0] ?? {}), ['pointer', 'message'])
      return outcome.issues?.map(({ code }) => code)
    }
    assert.deepEqual(codesOf({ code: 'invalid_type', type: 'string' }), ['invalid_type'])
    assert.deepEqual(codesOf({ type: 'min_length' }), ['min_length'])
    assert.deepEqual(codesOf({ code: 7 }), [undefined])
    assert.equal(codesOf({ code: 'x'.repeat(500) })?.[0]?.length, 100)
  })

  it('reads paths that are subclasses of Array by index', () => {
    class Path extends Array<unknown> {
      override map(): never {
        throw new Error('not to be called')
      }
    }
    assert.deepEqual(outcomeOf(failing([{ message: 'Bad', path: Path.from(['a']) }]), {}), {
      value: undefined,
      issues: [{ pointer: '/a', message: 'Bad' }],
    })
  })

  it('returns a generic issue if the issues of a library are unreadable', () => {
    const unexplained = [{ pointer: '', message: 'Invalid value' }]
    for (const issues of [[], true, [null], [{}], [{ message: 1, path: 'a' }]]) {
      assert.deepEqual(outcomeOf(failing(issues), {}), { value: undefined, issues: unexplained })
    }
  })

  it('throws the error of a validator', () => {
    const broken = schemaOf(() => {
      throw new Error('broken')
    })
    assert.throws(() => validate(broken, 1), { message: 'broken' })
  })

  it('throws a TypeError if the result of a validator is not an object', () => {
    assert.throws(
      () =>
        validate(
          schemaOf(() => true),
          1,
        ),
      {
        name: 'TypeError',
        message: 'Cannot use the result of a validator: it must be an object, not boolean',
      },
    )
  })

  it('removes strings of the value from messages', () => {
    const message = (text: string, value: unknown): unknown => {
      return outcomeOf(failing([{ message: text, path: ['a'] }]), { a: value }).issues?.[0]?.message
    }
    assert.equal(message('Expected "x", got "pass"word"', 'pass"word'), 'Expected "x", got "..."')
    assert.equal(message('got "pass\\"word"', 'pass"word'), 'got "..."')
    assert.equal(
      message('was {"k":["hidden",{"l":"too"}],"n":1}', { k: ['hidden', { l: 'too' }], n: 1 }),
      'was {"k":["...",{"l":"..."}],"n":1}',
    )
    assert.equal(message('Expected "x" but got 5', 5), 'Expected "x" but got 5')
    assert.equal(message('Expected more than 5', 5), 'Expected more than 5')
  })

  it('does not read inherited properties for messages', () => {
    const outcome = outcomeOf(failing([{ message: 'got "x"', path: ['constructor', 'name', 'x'] }]), {})
    assert.deepEqual(outcome, { value: undefined, issues: [{ pointer: '/constructor/name/x', message: 'got "x"' }] })
  })
})
