/** Builds OpenAPI documents from routes, and checks them with the official JSON Schema and a linter. */
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument, OpenApiOperation } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { lint } from '#test/openapi-tools.js'

/** Returns the document of an app with these routes. */
export function readDocument(routes: object, options: object = {}): OpenApiDocument {
  return createUntypedApp({ routes, ...options }).openapi()
}

/** Returns the operation of a path; `method` defaults to GET. Fails if it is missing. */
export function findOperation(document: OpenApiDocument, path: string, method = 'get'): OpenApiOperation {
  const operation = document.paths[path]?.[method]
  assert.ok(
    operation !== undefined,
    `The document has no "${method}" of "${path}": ${Object.keys(document.paths).join()}`,
  )
  return operation
}

/** Returns the names of the component schemas, without the two that are in every document. */
export function ownComponents(document: OpenApiDocument): string[] {
  return Object.keys(document.components.schemas).filter((name) => name !== 'Problem' && name !== 'ValidationProblem')
}

/** Resolves a `$ref`, and the `$ref` that it points to; other values are returned unchanged. */
export function resolveReference(document: OpenApiDocument, value: unknown): unknown {
  const reference: unknown = Object(value)['$ref']
  if (typeof reference !== 'string') return value
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inside, key) => Object(inside)[key], document)
  assert.notEqual(found, undefined, `The reference "${reference}" does not resolve`)
  return resolveReference(document, found)
}

/** Returns the errors of the official JSON Schema of its version, and of the linter; empty if the document is valid. */
export async function validateDocument(document: OpenApiDocument): Promise<unknown[]> {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  const ofFirst: readonly unknown[] = valid ? [] : [errors]
  const ofSecond = await lint(toVersion31(document))
  return [...ofFirst, ...ofSecond.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])]
}

/** Renames fields of OpenAPI 3.2, because the linter reads 3.1 and ignores extensions. QUERY becomes a method that no route has. */
function toVersion31(document: OpenApiDocument): object {
  const text = JSON.stringify({ ...document, openapi: '3.1.1' })
  return JSON.parse(
    text
      .replaceAll('"itemSchema":', '"schema":')
      .replaceAll(/"(?:x-)?query":{"operationId"/g, '"trace":{"operationId"'),
  )
}
