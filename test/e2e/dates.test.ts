/** Dates in responses: an invalid one is a 500, and the log says how to send a Date if a schema expects a string. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type } from 'arktype'
import * as v from 'valibot'
import { events, HttpError, json, reply, Route } from 'verbena'
import * as z from 'zod'
import { captureLog, createUntypedApp, looseContract, sendRequest } from '#test/apps.js'

const NOON = new Date('2026-01-01T12:00:00.000Z')
const ISO = '2026-01-01T12:00:00.000Z'
const INVALID = new Date(NaN)

/** Returns the response of a method with this contract, and the message of the logged error. */
async function answered(contract: object | undefined, value: () => unknown, options: object = {}) {
  class Probe extends Route {
    static readonly get = contract && looseContract(this, contract)
    get() {
      return value()
    }
  }
  const { logger, lines } = captureLog()
  const answer = await sendRequest(createUntypedApp({ routes: { Probe }, logger, ...options }), '/probe')
  const error = Object(lines.find(({ level }) => level === 'error')?.fields['err'])
  return { status: answer.status, text: answer.text, why: String(error.message) }
}

type Row = readonly [about: string, returns: object | undefined, wrap?: (value: unknown) => unknown, options?: object]
const asIs = (value: unknown): unknown => value

const PLACES: readonly Row[] = [
  ['without a contract', undefined],
  ['without "returns"', {}],
  ['in a reply', undefined, (value) => reply(200, value)],
  ['with a schema for any value', { returns: z.any() }],
  ['with a date schema: zod', { returns: z.object({ at: z.date().nullable() }) }],
  ['with a date schema: valibot', { returns: v.object({ at: v.nullable(v.date()) }) }],
  ['with a date schema: arktype', { returns: type({ at: 'Date | null' }) }],
  ['without projection', { returns: json(z.object({ at: z.any() }), { project: false }) }],
  ['without validation', { returns: z.object({ at: z.any() }) }, asIs, { validateResponses: false }],
  ['for one of several statuses', { returns: { 200: z.any(), 404: null } }, (value) => reply(200, value)],
]

describe('an invalid Date in a response', () => {
  for (const [about, contract, wrap = asIs, options = {}] of PLACES) {
    it(`is a 500 ${about}`, async () => {
      const invalid = await answered(contract, () => wrap({ at: INVALID }), options)
      assert.equal(invalid.status, 500)
      assert.match(invalid.why, /\/at.* an invalid Date/s)
      const valid = await answered(contract, () => wrap({ at: NOON }), options)
      assert.deepEqual([valid.status, valid.text], [200, `{"at":"${ISO}"}`])
      const missing = await answered(contract, () => wrap({ at: null }), options)
      assert.deepEqual([missing.status, missing.text], [200, '{"at":null}'])
    })
  }

  it('is named with its place', async () => {
    const rows: readonly (readonly [value: unknown, place: string])[] = [
      [INVALID, 'it'],
      [[NOON, INVALID], '"/1"'],
      [{ rows: [{ 'a/b': INVALID }] }, '"/rows/0/a~1b"'],
      [{ none: null, text: 'null', at: { in: [null, INVALID] } }, '"/at/in/1"'],
    ]
    for (const [value, place] of rows) {
      const { status, why } = await answered(undefined, () => value)
      assert.equal(status, 500)
      assert.ok(why.startsWith(`Cannot serialize the response: ${place} is an invalid Date`), why)
    }
  })

  it('does not matter in values that JSON does not contain', async () => {
    class Money {
      readonly at = INVALID
      toJSON(): null {
        return null
      }
    }
    const inherited: object = Object.create({ at: INVALID })
    const value = { sum: new Money(), inherited, bytes: new Uint8Array(2), none: null }
    const { status, text } = await answered(undefined, () => value)
    assert.deepEqual([status, text], [200, '{"sum":null,"inherited":{},"bytes":{"0":0,"1":0},"none":null}'])
  })

  it('ends an event stream', async () => {
    async function* stream() {
      yield { data: { at: INVALID } }
    }
    const { status, why } = await answered({ returns: events(z.any()) }, stream)
    assert.equal(status, 500)
    assert.match(why, /"\/at" is an invalid Date/)
  })

  it('is a 500 in the members of a problem', async () => {
    const refuse = () => {
      throw new HttpError(409, 'Taken', { until: INVALID })
    }
    assert.equal((await answered(undefined, refuse)).status, 500)
  })
})

describe('a Date where the schema expects something else', () => {
  const rows: readonly (readonly [vendor: string, schema: object])[] = [
    ['zod', z.object({ rows: z.array(z.object({ at: z.string() })) })],
    ['valibot', v.object({ rows: v.array(v.object({ at: v.string() })) })],
    ['arktype', type({ rows: type({ at: 'string' }).array() })],
  ]
  for (const [vendor, returns] of rows) {
    it(`is a 500 whose log line names both ways to send it: ${vendor}`, async () => {
      const { status, why } = await answered({ returns }, () => ({ rows: [{ at: NOON }] }))
      assert.equal(status, 500)
      assert.match(why, /\/rows\/0\/at: .*It is a Date\..*"z\.date\(\)".*"toISOString\(\)"/)
    })
  }

  it('does not change the log line of other values', async () => {
    const { why } = await answered({ returns: z.object({ at: z.string() }) }, () => ({ at: 1 }))
    assert.doesNotMatch(why, /Date/)
  })

  it('is also a 500 in the first event', async () => {
    async function* stream() {
      yield { data: { at: NOON } }
    }
    const { status, why } = await answered({ returns: events(z.object({ at: z.string() })) }, stream)
    assert.deepEqual([status, /It is a Date/.test(why)], [500, true])
  })
})
