/** Promises that are left in a response, which JSON would write as `{}`. */
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

const MEMBER = 'Cannot send the response of "Users.get": its member "users" is a promise. Await it before you return it'
const soon = (): Promise<object[]> => Promise.resolve([{ id: '1', secret: 'x' }])

const WAYS: readonly (readonly [about: string, contract: object | undefined, value: () => unknown])[] = [
  ['without a contract', undefined, () => ({ users: soon() })],
  ['without a contract, in a reply', undefined, () => reply(201, { users: soon() })],
  ['without "returns"', {}, async () => ({ users: soon() })],
  ['in a described value', { returns: z.object({ users }) }, () => ({ users: soon() })],
  ['in a value that the schema does not check', { returns: z.any() }, () => ({ users: soon() })],
  ['in a loose object', { returns: z.looseObject({}) }, () => ({ users: soon() })],
  ['in a response declared by status', { returns: { 201: z.any() } }, () => reply(201, { users: soon() })],
  ['in a value that is not projected', { returns: json(z.any(), { project: false }) }, () => ({ users: soon() })],
  ['with a schema that has no JSON Schema', { returns: v.object({ users: v.any() }) }, () => ({ users: soon() })],
  [
    'next to another promise, naming the first',
    undefined,
    () => ({ count: 1, none: null, users: soon(), more: soon() }),
  ],
  [
    'that is rejected',
    undefined,
    () => ({ users: Promise.reject(new Error('no')), more: Promise.reject(new Error()) }),
  ],
  // oxlint-disable-next-line unicorn/no-thenable -- libraries of databases have queries that are awaited so
  ['that is a thenable of a library', undefined, () => ({ users: { then: () => 1 } })],
  ['in an object without a prototype', undefined, () => Object.assign(Object.create(null), { users: soon() })],
]

describe('promises in a response', () => {
  for (const [about, contract, value] of WAYS) {
    for (const validateResponses of [true, false]) {
      it(`rejects and logs a promise ${about} with validateResponses: ${validateResponses}`, async () => {
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

  it('rejects a promise as an item of a list or as the whole body', async () => {
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

  it('ends the stream with a failure at a promise in the data of an event', async () => {
    const { app, lines } = appOf(
      async function* () {
        yield { data: 1 }
        await new Promise((resolve) => setImmediate(resolve))
        yield { data: { users: soon() } }
      },
      { returns: events(z.any()) },
    )
    const { text } = await sendRequest(app, '/probe')
    assert.match(text, /^data: 1\n\nevent: error\ndata: {[^\n]*"status":500[^\n]*}\n\n$/)
    assert.ok(!text.includes('users'))
    await until(() => lines.length > 0, 'the log has a line')
    assert.equal(Object(lines[0]?.fields['err']).message, MEMBER)
  })

  it('rejects a promise in a reply of middleware and in the extension members of an error', async () => {
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

  it('fails a test with the error message of the promise', async () => {
    const { fetch } = await testApp(appOf(() => ({ users: soon() })).app)
    await assert.rejects(fetch('/probe'), ({ cause }: Error) => Object(cause).message === MEMBER)
  })
})

describe('responses without a promise', () => {
  it('accepts promises that are removed by the schema, nested deeper, or not part of the JSON', async () => {
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
