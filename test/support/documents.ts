/** Small OpenAPI documents for the tests of `breaking()`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking, type BreakingChange } from 'verbena/openapi'
import type { JsonSchema } from 'verbena'

/** An OpenAPI document, or a part of one. */
export type Part = Readonly<Record<string, unknown>>

/** Builds a document with one operation, `POST /a`. */
export function generateDocument(operation: Part, rest: Part = {}): Part {
  return { openapi: '3.1.1', info: { title: 'a', version: '1' }, paths: { '/a': { post: operation } }, ...rest }
}

/** Builds a request body or the content of a response. */
export function content(schema: JsonSchema, type = 'application/json'): Part {
  return { content: { [type]: { schema } } }
}

/** Builds a document that uses a schema for the request body and for the response. */
export function ofSchema(schema: JsonSchema, rest: Part = {}): Part {
  return generateDocument(
    { requestBody: content(schema), responses: { 200: { description: 'a', ...content(schema) } } },
    rest,
  )
}

/** Returns the violated rules for request and response, without the prefixes `request-` and `response-`. */
export function rulesBetween(before: object, after: object): { request: string[]; response: string[] } {
  const rules = breaking(before, after).map(({ rule }) => rule)
  const of = (side: string): string[] =>
    rules.filter((rule) => rule.includes(side)).map((rule) => rule.replace(`${side}-`, ''))
  return { request: of('request'), response: of('response') }
}

/** Returns the value at the JSON Pointer of a change; `undefined` if there is no value. */
export function atPointer(document: unknown, { pointer }: Pick<BreakingChange, 'pointer'>): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce((value, key) => Object(value)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

/** A change, the rules that it violates, and the rules that its reversal violates; without `request-` and `response-`. */
export type Row = readonly [
  about: string,
  before: JsonSchema,
  after: JsonSchema,
  there: { request?: readonly string[]; response?: readonly string[] },
  back: { request?: readonly string[]; response?: readonly string[] },
]

/** Expects a rule for both request and response. */
export function bothDocuments(rule: string): { request: string[]; response: string[] } {
  return { request: [rule], response: [rule] }
}

/** Compares each pair in both directions: the violated rules, and their location. */
export function testRows(about: string, rows: readonly Row[]): void {
  describe(`breaking(): ${about}`, () => {
    for (const [name, before, after, there, back] of rows) {
      const [old, now] = [ofSchema(before), ofSchema(after)]
      it(`reports the rules for ${name}`, () => {
        assert.deepEqual(rulesBetween(old, now), { request: [], response: [], ...there }, 'there')
        assert.deepEqual(rulesBetween(now, old), { request: [], response: [], ...back }, 'back')
      })
      it(`reports the location of ${name}`, () => {
        for (const change of [...breaking(old, now), ...breaking(now, old)]) {
          const places = [old, now].map((document) => atPointer(document, change))
          assert.ok(
            places.some((value) => value !== undefined),
            change.pointer,
          )
          assert.match(change.message, /^POST \/a: ("\/.+" of )?the (request body|200 response) \S/)
          assert.deepEqual([change.method, change.path], ['POST', '/a'])
        }
      })
    }
  })
}
