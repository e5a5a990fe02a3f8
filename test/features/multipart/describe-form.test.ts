import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { multipart, parts } from 'verbena/multipart'
import { validateDocument } from '#test/openapi.js'
import { generateTypes } from '#test/openapi-tools.js'
import * as z from 'zod'

const Address = z.object({ city: z.string() }).meta({ id: 'Address' })

class Forms extends Route {
  static readonly post = this.contract({
    body: multipart(z.object({ title: z.string(), count: z.int().min(1).optional(), home: Address.optional() }), {
      files: {
        image: { types: ['image/png'] },
        sound: { types: ['audio/ogg', 'audio/mpeg'], optional: true },
        pages: { types: ['image/*'], count: 3 },
        notes: { count: 2, optional: true },
      },
    }),
  })
  async post() {
    return 1
  }
  static readonly put = this.contract({ body: multipart({ files: { image: { optional: true } } }) })
  async put() {
    return 1
  }
  static readonly patch = this.contract({ body: parts() })
  async patch() {
    return 1
  }
}

describe('OpenAPI document: multipart forms', () => {
  const app = createApp({ routes: { Forms } })
  const { paths } = app.openapi()
  const bodyOf = (verb: 'post' | 'put' | 'patch') => paths['/forms']?.[verb]?.requestBody

  it('describes fields and files by name, and the media types of files and JSON fields', () => {
    const bytes = 'application/octet-stream'
    assert.deepEqual(bodyOf('post'), {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              count: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
              home: { $ref: '#/components/schemas/Address' },
              image: { contentMediaType: bytes },
              sound: { contentMediaType: bytes },
              pages: { type: 'array', items: { contentMediaType: bytes }, minItems: 1, maxItems: 3 },
              notes: { type: 'array', items: { contentMediaType: bytes }, maxItems: 2 },
            },
            required: ['title', 'image', 'pages'],
          },
          encoding: {
            home: { contentType: 'application/json' },
            image: { contentType: 'image/png' },
            sound: { contentType: 'audio/ogg, audio/mpeg' },
            pages: { contentType: 'image/*' },
            notes: { contentType: '*/*' },
          },
        },
      },
    })
  })

  it('describes a form without a schema as optional, with any fields', () => {
    const schema = { type: 'object', properties: { image: { contentMediaType: 'application/octet-stream' } } }
    assert.deepEqual(bodyOf('put'), {
      content: {
        'multipart/form-data': {
          schema: { ...schema, additionalProperties: {} },
          encoding: { image: { contentType: '*/*' } },
        },
      },
    })
  })

  // orval 8.38.0 sends a field with `contentType: 'text/plain'` as a file, which is a 422.
  it('writes no media type for text fields of any schema', () => {
    const fields = z.object({
      title: z.string(),
      tags: z.array(z.int()).optional(),
      limit: z.union([z.int(), z.literal('all')]).nullable(),
      any: z.unknown(),
    })
    class Texts extends Route {
      static readonly post = this.contract({ body: multipart(fields) })
      post() {}
    }
    const content = Object(createApp({ routes: { Texts } }).openapi().paths['/texts']?.['post']?.requestBody).content
    assert.deepEqual(Object.keys(content['multipart/form-data']), ['schema'])
  })

  it('describes a body of parts() only as an object', () => {
    assert.deepEqual(bodyOf('patch'), { content: { 'multipart/form-data': { schema: { type: 'object' } } } })
  })

  it('lists the error statuses of bodies, with 422 only for a validated body', () => {
    const statuses = (verb: 'post' | 'patch') =>
      Object.keys(paths['/forms']?.[verb]?.responses ?? {}).filter((each) => each.startsWith('4'))
    assert.deepEqual(statuses('post'), ['400', '408', '413', '415', '422'])
    assert.deepEqual(statuses('patch'), ['400', '408', '413', '415'])
  })

  it('is valid according to OpenAPI tools', async () => {
    assert.deepEqual(await validateDocument(app.openapi()), [])
  })
})

describe('OpenAPI document: files', () => {
  const app = createApp({ routes: { Forms } })
  const file = { contentMediaType: 'application/octet-stream' }

  // orval 8.38 and @hey-api/openapi-ts 0.99 generate `Blob | File` for exactly this schema, and `unknown` for `image/png` in it.
  it('describes files of all types with the schema that client generators map to Blob', () => {
    const { schema, encoding } = Object(app.openapi().paths['/forms']?.['post']?.requestBody).content[
      'multipart/form-data'
    ]
    const { image, sound, pages, notes } = schema.properties
    assert.deepEqual([image, sound, pages.items, notes.items], [file, file, file, file])
    assert.deepEqual([encoding.image.contentType, encoding.sound.contentType], ['image/png', 'audio/ogg, audio/mpeg'])
  })

  it('results in openapi-typescript types that accept a Blob', async () => {
    const types = await generateTypes(app.openapi())
    assert.match(types, /image: unknown;\s+sound\?: unknown;\s+pages: unknown\[\];\s+notes\?: unknown\[\];/)
  })
})
