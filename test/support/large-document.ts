/** A document with 2,000 operations, as an API of a large company has them. */

/** Returns the document. Its operations share their parameters, responses and schemas. */
export function createLargeDocument(): Record<string, unknown> {
  const $ref = '#/components/schemas/Problem'
  const shared = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: { $ref } } },
  })
  const json = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } }
  const responses = {
    200: { description: 'OK', ...json },
    400: shared('Bad Request'),
    404: shared('Not Found'),
    default: shared('Any other problem'),
  }
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
  ]
  const about = (index: number, verb: string) => ({
    operationId: `Things${index}.${verb}`,
    summary: 'Read or change a thing',
    description: 'By its id.',
    tags: [`Group ${index % 50}`],
    parameters,
    responses,
  })
  const item = (index: number) => ({
    get: about(index, 'get'),
    put: { ...about(index, 'put'), requestBody: { required: true, ...json } },
  })
  const paths = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`/things-${index}/{id}`, item(index)]))
  const components = {
    schemas: { Thing: { type: 'object', properties: { id: { type: 'string' } } }, Problem: { type: 'object' } },
  }
  return { openapi: '3.1.1', info: { title: '2,000 operations' }, paths, components }
}
