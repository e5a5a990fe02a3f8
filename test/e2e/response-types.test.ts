/** Responses that contain an object or an array although their schema describes neither. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, createApp, events, json, reply, Route, text, type Schema } from 'verbena'
import { type as arktype } from 'arktype'
import * as z from 'zod'
import { describedSchema } from '#test/described-schemas.js'

const SECRET = 'scrypt$4711'
const stored = { name: 'Ada', hash: SECRET }
const User = z.object({ name: z.string() })

/** Returns the response of an endpoint that returns `value`, and the errors in its log. */
async function send(returns: unknown, value: unknown, validateResponses: boolean) {
  class Users extends Route {
    // Proof: the tables below contain schemas and kinds.
    static readonly get = this.contract({ returns: returns as Schema })
    get() {
      return value
    }
  }
  const log: string[] = []
  const note = (fields: { err?: Error }) => void log.push(String(fields.err?.message))
  const logger = { debug: note, info: note, warn: note, error: note }
  const app = createApp({ routes: { Users }, logger, signals: false, validateResponses })
  const response = await app.fetch(new Request('http://localhost/users'))
  return { status: response.status, text: await response.text(), log: log.join('\n') }
}

const REJECTED: readonly (readonly [title: string, returns: unknown, value: unknown, place: string])[] = [
  [
    'a list for an object whose members are optional',
    arktype({ 'name?': 'string' }),
    [stored],
    '(whole): must not be an array',
  ],
  ['a list for an object', User, [stored], '(whole): '],
  ['an object for a string', z.string(), stored, '(whole): '],
  ['an object for a string in a list', z.array(z.string()), ['a', stored], '/1: '],
  ['an object for a string in an object', z.object({ user: User }), { user: { name: stored } }, '/user/name: '],
  ['an object for a nullable string', z.object({ name: z.string().nullable() }), { name: stored }, '/name: '],
  ['an object in a record of strings', z.record(z.string(), z.string()), { ada: stored }, '/ada: '],
  ['an object in a tuple', z.tuple([z.string(), z.string()]), ['a', stored], '/1: '],
  ['an object for an enum', z.enum(['a', 'b']), stored, '(whole): '],
  ['an object for null', z.null(), stored, '(whole): '],
  ['an object for a union of scalars', z.union([z.string(), z.number()]), stored, '(whole): '],
  ['the JSON form of an instance', z.object({ name: z.string() }), { name: { toJSON: () => stored } }, '/name: '],
]

describe('returns: objects and arrays of another type', () => {
  for (const [title, returns, value, place] of REJECTED) {
    for (const validateResponses of [true, false]) {
      it(`rejects ${title} with validateResponses: ${validateResponses}`, async () => {
        const { status, text, log } = await send(returns, value, validateResponses)
        assert.equal(status, 500)
        assert.doesNotMatch(text, /scrypt/)
        assert.match(log, /^Cannot send the response of "Users\.get": it does not match its schema\./)
        if (!validateResponses) assert.ok(log.includes(`\n  ${place}`), log)
        assert.doesNotMatch(log, /scrypt/)
      })
    }
  }

  it('logs the place if the validator accepts the value', async () => {
    const { log } = await send(arktype({ 'name?': 'string' }), [stored], true)
    assert.match(log, /\n {2}\(whole\): must not be an array$/)
  })

  it('sends scalars of another type with validateResponses: false', async () => {
    const list = await send(z.object({ name: z.string() }), { name: 1 }, false)
    assert.deepEqual([list.status, JSON.parse(list.text)], [200, { name: 1 }])
    const whole = await send(User, 'Ada', false)
    assert.deepEqual([whole.status, JSON.parse(whole.text)], [200, 'Ada'])
  })

  it('sends a Date for a string', async () => {
    const { status, text } = await send(z.object({ name: z.string() }), { name: new Date(0) }, false)
    assert.deepEqual([status, JSON.parse(text)], [200, { name: '1970-01-01T00:00:00.000Z' }])
  })

  it('sends objects by a schema that describes no type', async () => {
    const { status, text } = await send(describedSchema({ description: 'any' }), [stored], false)
    assert.deepEqual([status, JSON.parse(text)], [200, [stored]])
  })

  it('names a promise in the log instead of a wrong type', async () => {
    const { status, log } = await send(User, { name: Promise.reject(new Error('late')) }, false)
    assert.equal(status, 500)
    assert.match(log, /its member "name" is a promise/)
  })

  it('rejects objects that contain themselves', async () => {
    const cycle: Record<string, unknown> = { hash: SECRET }
    cycle['name'] = cycle
    const { status, log } = await send(User, cycle, false)
    assert.equal(status, 500)
    assert.match(log, /\n {2}\/name: must not be an object$/)
  })

  it('never sends an object by text() or bytes()', async () => {
    for (const returns of [text(), bytes()]) {
      for (const value of [
        stored,
        [stored],
        { toJSON: () => stored },
        Object.assign(() => stored, { toJSON: () => stored }),
      ]) {
        const { status, text } = await send(returns, value, false)
        assert.equal(status, 500)
        assert.doesNotMatch(text, /scrypt/)
      }
    }
  })

  it('rejects the data of an event', async () => {
    class Feed extends Route {
      static readonly get = this.contract({ returns: events(z.unknown().meta({ type: 'string' })) })
      async *get() {
        yield { data: 'a' }
        yield { data: stored }
      }
    }
    const app = createApp({ routes: { Feed }, logger: false, signals: false, validateResponses: false })
    const response = await app.fetch(new Request('http://localhost/feed'))
    const text = await response.text()
    assert.match(text, /^data: "a"\n\nevent: error\ndata: {.*"status":500.*}\n\n$/)
    assert.doesNotMatch(text, /scrypt/)
  })

  it('rejects a reply by the schema of its status', async () => {
    const { status, text } = await send({ 200: z.string(), 201: User }, reply(201, [stored]), false)
    assert.equal(status, 500)
    assert.doesNotMatch(text, /scrypt/)
  })

  it('sends everything with project: false', async () => {
    const { text } = await send(json(arktype({ 'name?': 'string' }), { project: false }), [stored], true)
    assert.deepEqual(JSON.parse(text), [stored])
  })

  it('projects the JSON form of a function', async () => {
    const value = Object.assign(() => 1, { toJSON: () => stored })
    const { text } = await send(User, value, false)
    assert.deepEqual(JSON.parse(text), { name: 'Ada' })
  })
})
