/** A document in which every part of a page occurs. */
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ref('Problem') } },
})

export const COMPLETE: Record<string, unknown> = {
  openapi: '3.1.1',
  info: {
    title: 'Tea shop',
    version: '2.1.0',
    description: 'Sells tea to people, and to machines.\n\nAsk us before you send more than 100 requests per second.',
    contact: { name: 'The shop team', email: 'shop@example.com' },
    license: { name: 'MIT' },
  },
  servers: [{ url: 'https://api.example.com/v2', description: 'Production' }, { url: 'https://test.example.com/v2' }],
  security: [{ token: [] }],
  tags: [{ name: 'teas', description: 'What the shop sells.' }, { name: 'orders' }],
  paths: {
    '/teas': {
      get: {
        operationId: 'Teas.list',
        tags: ['teas'],
        summary: 'List teas',
        description: 'In the order of their name.',
        security: [],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { name: 'kind', in: 'query', description: 'Only one kind', schema: { enum: ['green', 'black', 'white'] } },
        ],
        responses: {
          200: {
            description: 'OK',
            headers: { 'RateLimit-Remaining': { description: 'Requests left', schema: { type: 'integer' } } },
            content: json({ type: 'array', items: ref('Tea') }),
          },
          default: problem('Any other problem'),
        },
      },
    },
    '/teas/{id}': {
      get: {
        operationId: 'Teas.read',
        tags: ['teas'],
        summary: 'Read a tea',
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string', format: 'uuid', pattern: '^[0-9a-f-]+$' },
          },
        ],
        responses: { 200: { description: 'OK', content: json(ref('Tea')) }, 404: problem('This tea does not exist') },
      },
      delete: {
        operationId: 'Teas.delete',
        tags: ['teas'],
        deprecated: true,
        'x-sunset': '2027-01-31T00:00:00.000Z',
        summary: 'Delete a tea',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 204: { description: 'No Content' }, 404: problem('This tea does not exist') },
      },
    },
    '/orders': {
      post: {
        operationId: 'Orders.post',
        tags: ['orders'],
        summary: 'Place an order',
        parameters: [
          { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string', maxLength: 255 } },
        ],
        requestBody: { required: true, content: json(ref('NewOrder')) },
        responses: {
          201: {
            description: 'Created',
            content: json({ allOf: [ref('NewOrder'), { properties: { id: { type: 'string' } } }] }),
          },
          409: {
            description: 'Sold out',
            content: json({ type: 'object', properties: { left: { type: 'integer' } } }),
          },
          422: problem('Unprocessable Content'),
        },
      },
    },
    '/orders/events': {
      get: {
        operationId: 'Events.get',
        tags: ['orders'],
        summary: 'Follow orders',
        responses: {
          200: {
            description: 'OK',
            content: { 'text/event-stream': { schema: { type: 'string', contentSchema: ref('Tea') } } },
          },
        },
      },
    },
    '/orders/{id}/receipt': {
      get: {
        operationId: 'Receipt.get',
        tags: ['orders'],
        summary: 'Download a receipt',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { description: 'OK', content: { 'application/pdf': {} } } },
      },
    },
  },
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'Your account has a page for tokens.' },
      key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: '/token', scopes: { read: 'Read everything' } } },
      },
    },
    schemas: {
      Tea: {
        type: 'object',
        description: 'A tea of the shop.',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string', format: 'uuid', readOnly: true },
          name: { type: 'string', minLength: 1, maxLength: 80, description: 'As it is on the package' },
          origin: { anyOf: [ref('Place'), { type: 'null' }] },
          blendOf: { type: 'array', items: ref('Tea') },
          prices: { type: 'object', additionalProperties: { type: 'integer' } },
        },
      },
      Place: { type: 'object', properties: { country: { type: 'string' }, height: { type: 'number' } } },
      NewOrder: {
        type: 'object',
        required: ['lines', 'payment'],
        properties: {
          lines: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              properties: { tea: { type: 'string' }, grams: { type: 'integer', multipleOf: 50 } },
            },
          },
          payment: { oneOf: [ref('Card'), ref('Invoice')] },
        },
      },
      Card: { type: 'object', properties: { kind: { const: 'card' }, number: { type: 'string', writeOnly: true } } },
      Invoice: {
        type: 'object',
        properties: { kind: { const: 'invoice' }, email: { type: 'string', format: 'email' } },
      },
      Problem: { type: 'object', properties: { title: { type: 'string' }, status: { type: 'integer' } } },
    },
  },
}
