/** The typed client: null and undefined in arrays, and responses with invalid JSON. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { createClient } from 'verbena/client'

class Plain extends Route {
  get() {
    return 'plain'
  }
}
const app = createApp({ routes: { Plain }, logger: false })

describe('createClient()', () => {
  it('omits null and undefined from arrays in queries, headers, forms and files', async () => {
    const requests: Request[] = []
    const client: unknown = createClient<typeof app>('http://localhost', {
      fetch: async (request) => {
        requests.push(request)
        return new Response(null, { status: 204 })
      },
    })
    // Proof: the types of the app do not allow null in arrays.
    const call = client as (path: string) => Record<string, (options: object) => Promise<unknown>>
    const query = { tags: ['a', null, undefined, 'b'], none: [null], empty: [] }
    await call('/plain')['get']?.({ query, headers: { a: [null] } })
    const [asked = assert.fail()] = requests
    assert.deepEqual([new URL(asked.url).search, asked.headers.has('a')], ['?tags=a&tags=b', false])
    requests.length = 0
    for (const type of ['multipart/form-data', 'application/x-www-form-urlencoded']) {
      const fields = { tags: ['a', null, 'b', undefined], none: null }
      const body =
        type === 'multipart/form-data'
          ? { fields, files: { images: [null, new Blob(['x']), undefined], none: undefined } }
          : fields
      await call('/plain')['post']?.({ body, headers: { 'content-type': type } })
    }
    const forms = await Promise.all(requests.map((request) => request.formData()))
    assert.deepEqual(
      forms.map((form) => [form.getAll('tags'), form.getAll('images').length, form.has('none')]),
      [
        [['a', 'b'], 1, false],
        [['a', 'b'], 0, false],
      ],
    )
  })

  it('returns the status and text of an error with invalid JSON', async () => {
    const bodies = ['<html>Too many requests</html>', '', '{"detail": "cut', ' ']
    for (const type of ['application/json', 'application/problem+json; charset=utf-8']) {
      for (const status of [400, 429, 502]) {
        for (const text of bodies) {
          const headers = { 'content-type': type, 'retry-after': '5' }
          const api = createClient<typeof app>('http://localhost', {
            fetch: async () => new Response(text, { status, headers }),
          })
          const answer = await api('/plain').get()
          assert.deepEqual([answer.ok, answer.status, answer.body], [false, status, text || null])
          assert.equal(answer.headers.get('retry-after'), '5')
        }
      }
    }
  })

  it('rejects with status, headers and text if a successful response has invalid JSON', async () => {
    for (const text of ['<html>', '', '[1, 2']) {
      const headers = { 'content-type': 'application/json', 'x-cache': 'hit' }
      const api = createClient<typeof app>('http://localhost', {
        fetch: async () => new Response(text, { status: 201, headers }),
      })
      await assert.rejects(api('/plain').get(), (error: unknown) => {
        assert.ok(error instanceof Error)
        const { status, headers: given, text: body } = Object(error)
        assert.equal(error.message, 'Cannot read the response with status 201: its body is not JSON')
        assert.deepEqual([status, given.get('x-cache'), body], [201, 'hit', text])
        assert.ok(error.cause instanceof SyntaxError)
        return true
      })
    }
  })
})
