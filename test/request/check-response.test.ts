/** Promises that were left in an answer, where they would be sent as `{}`. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { events, HttpError, json, reply, Route, type Middleware } from 'verbena'
import { testApp } from 'verbena/testing'
import * as v from 'valibot'
import * as z from 'zod'
import { sendRequest, captureLog, createUntypedApp, looseContract } from '#test/apps.js'
import { until } from '#test/e2e.js'

const users = z.array(z.object({ id: z.string() }))

function appOf(value: () => unknown, contract?: object, options: object = {}) {
  class Plain extends Route {
    static readonly path = '/probe'
    get() {
      return value()
    }
  }
  class Kept extends Plain {
    static readonly get = looseContract(this, contract ?? {})
  }
  const { logger, lines } = captureLog()
  return {
    app: createUntypedApp({ routes: { Users: contract === undefined ? Plain : Kept }, logger, ...options }),
    lines,
  }
}

const MEMBER = 'Cannot send the answer of "Users.get": its member "users" is a promise. Await it before you return it'
const soon = (): Promise<object[]> => Promise.resolve([{ id: '1', secret: 'x' }])

const WAYS: readonly (readonly [about: string, contract: object | undefined, value: () => unknown])[] = [
  ['without a contract', undefined, () => ({ users: soon() })],
  ['without a contract, in a reply', undefined, () => reply(201, { users: soon() })],
  ['without "returns"', {}, async () => ({ users: soon() })],
  ['in what a schema describes', { returns: z.object({ users }) }, () => ({ users: soon() })],
  ['in what a schema lets through', { returns: z.any() }, () => ({ users: soon() })],
  ['in an open record', { returns: z.looseObject({}) }, () => ({ users: soon() })],
  ['in a record of statuses', { returns: { 201: z.any() } }, () => reply(201, { users: soon() })],
  ['in what is sent whole', { returns: json(z.any(), { project: false }) }, () => ({ users: soon() })],
  ['where nothing describes the schema', { returns: v.object({ users: v.any() }) }, () => ({ users: soon() })],
  ['beside others, in the first of them', undefined, () => ({ count: 1, none: null, users: soon(), more: soon() })],
  [
    'that is rejected',
    undefined,
    () => ({ users: Promise.reject(new Error('no')), more: Promise.reject(new Error()) }),
  ],
  // oxlint-disable-next-line unicorn/no-thenable -- libraries of databases have queries that are awaited so
  ['of a library', undefined, () => ({ users: { then: () => 1 } })],
  ['of a record without a prototype', undefined, () => Object.assign(Object.create(null), { users: soon() })],
]

describe('a promise in an answer', () => {
  for (const [about, contract, value] of WAYS) {
    for (const validateResponses of [true, false]) {
      it(`${about} is a 500 that the log explains, ${validateResponses ? '' : 'un'}validated`, async () => {
        const { app, lines } = appOf(value, contract, { validateResponses })
        const { status, text } = await sendRequest(app, '/probe')
        assert.deepEqual([status, text.includes('users')], [500, false])
        const errors = lines.filter(({ level }) => level === 'error')
        assert.deepEqual(
          errors.map(({ fields }) => Object(fields['err']).message),
          [MEMBER],
        )
      })
    }
  }

  it('is found as an item of a list, too, and as the whole body', async () => {
    for (const [value, state] of [
      [() => [{ id: '1' }, soon()], 'its item 1 is a promise'],
      [() => reply(200, soon()), 'it is a promise'],
    ] as const) {
      for (const contract of [undefined, { returns: z.any() }]) {
        const { app, lines } = appOf(value, contract)
        assert.equal((await sendRequest(app, '/probe')).status, 500)
        assert.match(String(lines[0]?.fields['err']), new RegExp(`"Users\\.get": ${state}\\. Await it`))
      }
    }
  })

  it('is found in the data of an event, which breaks the stream off', async () => {
    const { app, lines } = appOf(
      async function* () {
        yield { data: 1 }
        await new Promise((resolve) => setImmediate(resolve))
        yield { data: { users: soon() } }
      },
      { returns: events(z.any()) },
    )
    await assert.rejects(sendRequest(app, '/probe'))
    await until(() => lines.length > 0, 'the log has a line')
    assert.equal(Object(lines[0]?.fields['err']).message, MEMBER)
  })

  it('is found in what middleware answers, and in the members of an error', async () => {
    const middleware: Middleware[] = [async () => reply(200, { users: soon() })]
    const answered = appOf(() => 1, undefined, { middleware })
    assert.equal((await sendRequest(answered.app, '/probe')).status, 500)
    assert.equal(Object(answered.lines[0]?.fields['err']).message, MEMBER)
    const failing = appOf(() => {
      throw new HttpError(409, 'Taken', { users: soon() })
    })
    assert.equal((await sendRequest(failing.app, '/probe')).status, 500)
    assert.equal(Object(failing.lines[0]?.fields['err']).message, MEMBER)
  })

  it('fails a test with its text', async () => {
    const { fetch } = await testApp(appOf(() => ({ users: soon() })).app)
    await assert.rejects(fetch('/probe'), ({ cause }: Error) => Object(cause).message === MEMBER)
  })
})

describe('an answer without a promise', () => {
  it('is what a schema leaves out, deeper down, or not JSON by its members', async () => {
    class Money {
      amount = soon()
      toJSON() {
        return '7 EUR'
      }
    }
    const stream = Object.assign(Readable.from(['a']), { pending: soon() })
    const bytes = Object.assign(new Uint8Array([97]), { pending: soon() })
    for (const [value, contract, text] of [
      [() => ({ id: '1', posts: soon() }), { returns: z.object({ id: z.string() }) }, '{"id":"1"}'],
      [() => ({ a: { b: soon() } }), undefined, '{"a":{"b":{}}}'],
      [() => new Money(), undefined, '"7 EUR"'],
      [() => stream, undefined, 'a'],
      [() => bytes, undefined, 'a'],
      [() => ['then', { at: 1 }], undefined, '["then",{"at":1}]'],
      [() => null, undefined, 'null'],
    ] as const) {
      const { app, lines } = appOf(value, contract)
      assert.deepEqual([(await sendRequest(app, '/probe')).text, lines], [text, []])
    }
  })
})
