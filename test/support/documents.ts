/** OpenAPI documents for comparisons, written by hand. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking, type BreakingChange } from 'verbena/openapi'
import type { JsonSchema } from 'verbena'

/** Keywords of a document or of a part of it. */
export type Part = Readonly<Record<string, unknown>>

/** A document of one operation, `POST /a`. */
export function generateDocument(operation: Part, rest: Part = {}): Part {
  return { openapi: '3.1.1', info: { title: 'a', version: '1' }, paths: { '/a': { post: operation } }, ...rest }
}

/** A body, or the content of an answer. */
export function content(schema: JsonSchema, type = 'application/json'): Part {
  return { content: { [type]: { schema } } }
}

/** A document whose body and answer follow a schema. */
export function ofSchema(schema: JsonSchema, rest: Part = {}): Part {
  return generateDocument(
    { requestBody: content(schema), responses: { 200: { description: 'a', ...content(schema) } } },
    rest,
  )
}

/** The rules that changes break, those of the request and those of the response, without their prefixes. */
export function rulesBetween(before: object, after: object): { request: string[]; response: string[] } {
  const rules = breaking(before, after).map(({ rule }) => rule)
  const of = (side: string): string[] =>
    rules.filter((rule) => rule.includes(side)).map((rule) => rule.replace(`${side}-`, ''))
  return { request: of('request'), response: of('response') }
}

/** What stands at a JSON Pointer; `undefined` where nothing does. */
export function atPointer(document: unknown, { pointer }: Pick<BreakingChange, 'pointer'>): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce((value, key) => Object(value)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

/** A change, what it breaks, and what the change back breaks; rules without `request-` and `response-`. */
export type Row = readonly [
  about: string,
  before: JsonSchema,
  after: JsonSchema,
  there: { request?: readonly string[]; response?: readonly string[] },
  back: { request?: readonly string[]; response?: readonly string[] },
]

/** A rule for requests and for responses. */
export function bothDocuments(rule: string): { request: string[]; response: string[] } {
  return { request: [rule], response: [rule] }
}

/** Compares each pair there and back: which rules are broken, and where. */
export function testRows(about: string, rows: readonly Row[]): void {
  describe(`breaking(): ${about}`, () => {
    for (const [name, before, after, there, back] of rows) {
      const [old, now] = [ofSchema(before), ofSchema(after)]
      it(`knows ${name}`, () => {
        assert.deepEqual(rulesBetween(old, now), { request: [], response: [], ...there }, 'there')
        assert.deepEqual(rulesBetween(now, old), { request: [], response: [], ...back }, 'back')
      })
      it(`says where: ${name}`, () => {
        for (const change of [...breaking(old, now), ...breaking(now, old)]) {
          const places = [old, now].map((document) => atPointer(document, change))
          assert.ok(
            places.some((value) => value !== undefined),
            change.pointer,
          )
          assert.match(change.message, /^POST \/a: ("\/.+" of )?the (request body|answer 200) \S/)
          assert.deepEqual([change.method, change.path], ['POST', '/a'])
        }
      })
    }
  })
}
