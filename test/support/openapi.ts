/** Documents in tests: made of routes, and checked by two tools that know nothing of each other. */
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument, OpenApiOperation } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { lint } from '#test/openapi-tools.js'

/** The document of an app of these routes. */
export function readDocument(routes: object, options: object = {}): OpenApiDocument {
  return createUntypedApp({ routes, ...options }).openapi()
}

/** The operation of a path; GET unless said otherwise. */
export function operationAt(document: OpenApiDocument, path: string, method = 'get'): OpenApiOperation {
  const operation = document.paths[path]?.[method]
  assert.ok(
    operation !== undefined,
    `The document has no "${method}" of "${path}": ${Object.keys(document.paths).join()}`,
  )
  return operation
}

/** Names of the components that are not in every document. */
export function ownComponents(document: OpenApiDocument): string[] {
  return Object.keys(document.components.schemas).filter((name) => name !== 'Problem' && name !== 'ValidationProblem')
}

/** Follows the references of a document, as far as they stand in objects by themselves. */
export function resolveReference(document: OpenApiDocument, value: unknown): unknown {
  const reference: unknown = Object(value)['$ref']
  if (typeof reference !== 'string') return value
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inside, key) => Object(inside)[key], document)
  assert.notEqual(found, undefined, `The reference "${reference}" leads nowhere`)
  return resolveReference(document, found)
}

/** What both validators have against a document; nothing is the best. */
export async function validateDocument(document: OpenApiDocument): Promise<unknown[]> {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  const ofFirst: readonly unknown[] = valid ? [] : [errors]
  const ofSecond = await lint(document)
  return [...ofFirst, ...ofSecond.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])]
}
