/** Responses with schemas of libraries without JSON Schema. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from '@sinclair/typebox'
import { createApp, json, Route, type AppOptions, type Schema } from 'verbena'
import * as yup from 'yup'
import { adapt, describe as describeTypeBox } from '../typebox.js'

const HASH = 'scrypt$4711'
const ada = { name: 'Ada', age: 36 }
const stored = { ...ada, passwordHash: HASH }

/** Sends a request to an endpoint that returns `value`; returns its response and its log. */
async function answerOf(returns: unknown, value: unknown, options: Partial<AppOptions<{}>> = {}) {
  class Users extends Route {
    // Proof: all values in the tables below are valid for `returns`.
    static readonly get = this.contract({ returns: returns as Schema })
    async get() {
      return value
    }
  }
  const log: string[] = []
  const note = (fields: { err?: Error }) => void log.push(String(fields.err?.message))
  const logger = { debug: note, info: note, warn: note, error: note }
  const app = createApp({ routes: { Users }, logger, ...options })
  const response = await app.fetch(new Request('http://localhost/users'))
  return { status: response.status, text: await response.text(), log: log.join('\n') }
}

const YupUser = yup.object({ name: yup.string().required(), age: yup.number().required() })
const Fields = { name: Type.String(), age: Type.Number() }
const Team = { name: Type.String(), boss: Type.Object(Fields) }
const team = { name: 'A', boss: stored }

const KEEPING: readonly (readonly [about: string, returns: unknown, value: unknown])[] = [
  ['yup', YupUser, stored],
  ['a list of yup', yup.array(YupUser).required(), [stored]],
  ['yup that renames members', YupUser.camelCase(), stored],
  ['a strict object of yup around an open one', yup.object({ boss: YupUser }).noUnknown().strict(), { boss: stored }],
  ['TypeBox', adapt(Type.Object(Fields)), stored],
  ['a list of TypeBox', adapt(Type.Array(Type.Object(Fields))), [stored]],
  ['a strict object of TypeBox around an open one', adapt(Type.Object(Team, { additionalProperties: false })), team],
  ['a record of anything', adapt(Type.Record(Type.String(), Type.Unknown())), stored],
]

const STRICT = { additionalProperties: false }
const many = Array.from({ length: 200 }, () => ada)
const SENT: readonly (readonly [about: string, returns: unknown, value: unknown, sent: unknown])[] = [
  ['yup that drops unknown members', YupUser.stripUnknown(), stored, ada],
  ['strict yup', YupUser.noUnknown().strict(), ada, ada],
  ['a list of strict yup', yup.array(YupUser.noUnknown().strict()).required(), many, many],
  ['strict TypeBox', adapt(Type.Object(Fields, STRICT)), ada, ada],
  ['a list of strict TypeBox', adapt(Type.Array(Type.Object(Fields, STRICT))), many, many],
  ['a record of strings', adapt(Type.Record(Type.String(), Type.String())), { a: 'b' }, { a: 'b' }],
  ['a string', yup.string().required(), 'Ada', 'Ada'],
]

describe('responses of libraries without JSON Schema', () => {
  for (const [about, returns, value] of KEEPING) {
    it(`responds 500 if the schema keeps unknown members: ${about}`, async () => {
      const { status, text, log } = await answerOf(returns, value)
      assert.equal(status, 500)
      assert.doesNotMatch(text, /scrypt/)
      assert.match(log, /Members that the schema does not name .*project: false/)
    })
  }

  for (const [about, returns, value, sent] of SENT) {
    it(`sends the response if the schema excludes unknown members: ${about}`, async () => {
      const { status, text, log } = await answerOf(returns, value)
      assert.deepEqual([status, JSON.parse(text)], [200, sent], log)
    })
  }

  it('projects the response if a converter describes its schema', async () => {
    const { text } = await answerOf(adapt(Type.Object(Fields)), stored, { jsonSchema: { typebox: describeTypeBox } })
    assert.deepEqual(JSON.parse(text), ada)
  })

  it('sends unknown members with json(schema, { project: false })', async () => {
    const { text } = await answerOf(json(YupUser, { project: false }), stored)
    assert.deepEqual(JSON.parse(text), stored)
  })
})
