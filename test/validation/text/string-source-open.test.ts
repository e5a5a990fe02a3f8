import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RawText } from '#src/validation/text/convert-text.js'
import { textSource } from '#src/validation/text/string-source.js'
import type { Outcome } from '#src/validation/validate.js'
import { readOutcome } from '#test/issues.js'

interface Told {
  readonly message: string
  readonly path?: readonly PropertyKey[]
}

/** Reads a string with a schema without JSON Schema, which accepts values without complaints. */
function read(raw: RawText, complain: (value: Record<string, unknown>) => readonly Told[]): Outcome | Promise<Outcome> {
  const validate = (value: unknown): unknown => {
    const issues = complain(Object(value))
    return issues.length === 0 ? { value } : { issues }
  }
  const schema = { '~standard': { version: 1 as const, vendor: 'own', validate } }
  return textSource(schema, {}).read(raw)
}

function valueOf(outcome: Outcome | Promise<Outcome>): unknown {
  assert.ok(!(outcome instanceof Promise) && outcome.issues === undefined)
  return { ...Object(outcome.value) }
}

function issuesOf(outcome: Outcome | Promise<Outcome>): unknown {
  assert.ok(!(outcome instanceof Promise))
  return readOutcome(outcome).issues
}

const unless = (fine: boolean, message: string, ...path: PropertyKey[]): Told[] => (fine ? [] : [{ message, path }])

describe('textSource().read() without JSON Schema', () => {
  it('converts only values that have issues', () => {
    const complain = ({ n, b }: Record<string, unknown>): Told[] => [
      ...unless(typeof n === 'number', 'Expected number', 'n'),
      ...unless(typeof b === 'boolean', 'Expected boolean', 'b'),
    ]
    assert.deepEqual(valueOf(read({ n: '1.5', b: 'false', s: '5' }, complain)), { n: 1.5, b: false, s: '5' })
  })

  it('converts one value to an array of strings or of numbers', () => {
    const ofText = ({ k }: Record<string, unknown>): Told[] => unless(Array.isArray(k), 'Expected list', 'k')
    assert.deepEqual(valueOf(read({ k: 'a' }, ofText)), { k: ['a'] })
    assert.deepEqual(valueOf(read({ k: '5' }, ofText)), { k: ['5'] })
    const ofNumbers = ({ k }: Record<string, unknown>): Told[] =>
      Array.isArray(k)
        ? unless(typeof k[0] === 'number', 'Expected number', 'k', 0)
        : [{ message: 'Expected list', path: ['k'] }]
    assert.deepEqual(valueOf(read({ k: '5' }, ofNumbers)), { k: [5] })
    assert.deepEqual(issuesOf(read({ k: 'x' }, ofNumbers)), [{ pointer: '/k', message: 'Expected list' }])
  })

  it('converts the items that have issues, once', () => {
    const complain = ({ k }: Record<string, unknown>): Told[] =>
      [k].flat().flatMap((item, at) => unless(typeof item === 'number', `Expected number, was ${typeof item}`, 'k', at))
    assert.deepEqual(valueOf(read({ k: ['1', '2'] }, complain)), { k: [1, 2] })
    assert.deepEqual(issuesOf(read({ k: ['1', 'x'] }, complain)), [
      { pointer: '/k/1', message: 'Expected number, was string' },
    ])
  })

  it('reports the issue of the value as it was sent, if no alternative is valid', () => {
    const complain = ({ k }: Record<string, unknown>): Told[] =>
      typeof k === 'string' ? unless(k.length > 2, 'Too short', 'k') : [{ message: 'Expected text', path: ['k'] }]
    assert.deepEqual(issuesOf(read({ k: '12' }, complain)), [{ pointer: '/k', message: 'Too short' }])
  })

  it('reports the first issue of a key instead of an issue about another form', () => {
    const complain = ({ k }: Record<string, unknown>): Told[] =>
      typeof k === 'string' ? [{ message: 'First', path: ['k'] }] : [{ message: 'Deeper', path: ['k', 'x'] }]
    assert.deepEqual(issuesOf(read({ k: '1' }, complain)), [{ pointer: '/k', message: 'First' }])
  })

  it('reports one issue for each place, or the first issue of the key for a new place', () => {
    const twice = ({ k }: Record<string, unknown>): Told[] => [
      { message: `First of ${typeof k}`, path: ['k', 0] },
      { message: `Second of ${typeof k}`, path: ['k', 0] },
    ]
    assert.deepEqual(issuesOf(read({ k: '1' }, twice)), [{ pointer: '/k/0', message: 'First of string' }])
    const moving = ({ k }: Record<string, unknown>): Told[] =>
      typeof k === 'string' ? [{ message: 'First', path: ['k', 'a'] }] : [{ message: 'Deeper', path: ['k', 'b'] }]
    assert.deepEqual(issuesOf(read({ k: '1' }, moving)), [{ pointer: '/k/a', message: 'First' }])
  })

  it('reports the issue of the whole key for a new place, or else the first of several', () => {
    const first = (...paths: readonly PropertyKey[][]) =>
      issuesOf(
        read({ k: '1' }, ({ k }) =>
          typeof k === 'string'
            ? paths.map((path) => ({ message: `At ${path.join()}`, path }))
            : [{ message: 'Deeper', path: ['k', 'new'] }],
        ),
      )
    assert.deepEqual(first(['k', 'a'], ['k'], ['k', 'b']), [{ pointer: '/k', message: 'At k' }])
    assert.deepEqual(first(['k', 'a'], ['k', 'b']), [{ pointer: '/k/a', message: 'At k,a' }])
  })

  it('reports an unreadable issue for the whole value', () => {
    // Proof: the validator breaks the rules of Standard Schema on purpose.
    const broken = (): Told[] => [null as unknown as Told]
    assert.deepEqual(issuesOf(read({ k: '5' }, broken)), [{ pointer: '', message: 'Invalid value' }])
  })

  it('does not change issues of the whole value, missing keys or unsafe numbers', () => {
    const whole = (): Told[] => [{ message: 'Never' }, { message: 'Missing', path: ['m'] }]
    assert.deepEqual(issuesOf(read({ k: '5' }, whole)), [
      { pointer: '', message: 'Never' },
      { pointer: '/m', message: 'Missing' },
    ])
    const number = ({ k }: Record<string, unknown>): Told[] => unless(typeof k === 'number', 'Expected number', 'k')
    assert.deepEqual(issuesOf(read({ k: '9007199254740993' }, number)), [{ pointer: '/k', message: 'Expected number' }])
  })

  it('stops after 17 validations', () => {
    let calls = 0
    const raw = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, '5']))
    const oneAtATime = (value: Record<string, unknown>): Told[] => {
      calls++
      const key = Object.keys(value).find((key) => typeof value[key] === 'string')
      return key === undefined ? [] : [{ message: 'Expected number', path: [key] }]
    }
    assert.deepEqual(issuesOf(read(raw, oneAtATime)), [{ pointer: '/k16', message: 'Expected number' }])
    assert.equal(calls, 17)
  })

  it('converts values for an asynchronous schema', async () => {
    const validate = async (value: unknown): Promise<unknown> =>
      typeof Object(value).n === 'number' ? { value } : { issues: [{ message: 'Expected number', path: ['n'] }] }
    const schema = { '~standard': { version: 1 as const, vendor: 'own', validate } }
    const outcome = await textSource(schema, {}).read({ n: '5' })
    assert.deepEqual({ ...Object(outcome.value) }, { n: 5 })
  })
})

describe('textSource().read() of repeated keys without JSON Schema', () => {
  const reading = (raw: RawText, validate: (value: Record<string, unknown>) => unknown): unknown => {
    const schema = {
      '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => validate(Object(value)) },
    }
    const outcome = textSource(schema, {}).read(raw)
    assert.ok(!(outcome instanceof Promise))
    return readOutcome(outcome).issues ?? outcome.value
  }
  const several = [{ pointer: '/k', message: 'Expected one value' }]

  it('rejects an array that the schema merges into one value', () => {
    const text = ({ k }: Record<string, unknown>): unknown => ({ value: { k: String(k) } })
    assert.deepEqual(reading({ k: ['a', 'b'] }, text), several)
    assert.deepEqual(reading({ k: ['a'] }, text), { k: 'a' })
  })

  it('accepts an array if the schema rejects one value, or returns no merged value', () => {
    const joining = ({ k }: Record<string, unknown>): unknown =>
      Array.isArray(k) ? { value: { k: k.join() } } : { issues: [{ message: 'Expected list', path: ['k'] }] }
    assert.deepEqual(reading({ k: ['a', 'b'] }, joining), { k: 'a,b' })
    assert.deepEqual(
      reading({ k: ['a', 'b'] }, ({ k }) => ({ value: { k } })),
      { k: ['a', 'b'] },
    )
    assert.deepEqual(
      reading({ k: ['a', 'b'] }, () => ({ value: {} })),
      {},
    )
    assert.deepEqual(
      reading({ k: ['a', 'b'] }, () => ({ value: 'text' })),
      'text',
    )
  })
})
