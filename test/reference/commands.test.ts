import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { clientLine, curlLine, chooseExample, serverAddress } from '#src/reference/commands.js'
import { readModel } from '#src/reference/model.js'

type Line = (model: ReturnType<typeof readModel>, operation: ReturnType<typeof first>) => string

function first(document: Record<string, unknown>) {
  const [operation] = readModel(document).groups.flatMap((group) => group.operations)
  assert.ok(operation)
  return operation
}

function lineOf(line: Line, item: object, others: object = {}, path = '/users/{id}'): string {
  const document = { paths: { [path]: item }, ...others }
  return line(readModel(document), first(document))
}

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 7 } }
const SCHEMES = {
  token: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'query', name: 'api key' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid' },
  odd: { type: 'apiKey', in: 'header', name: "x-'key" },
  tls: { type: 'mutualTLS' },
}
const securing = (name: string) => ({ components: { securitySchemes: SCHEMES }, security: [{ [name]: [] }] })
const json = (media: object) => ({ requestBody: { content: { 'application/json': media } } })

describe('curlLine()', () => {
  const curl = (item: object, others?: object, path?: string) => lineOf(curlLine, item, others, path)

  it('contains required parameters with example values', () => {
    const parameters = [
      ID,
      { name: 'q', in: 'query', required: true, example: 'a b&c' },
      { name: 'tags', in: 'query', required: true, examples: { one: { value: ['x'] } } },
      { name: 'page', in: 'query', schema: {} },
      { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
    ]
    assert.equal(
      curl({ get: { parameters } }),
      `curl "$API/users/7?q=a%20b%26c&tags=%5B%0A%20%20%22x%22%0A%5D" \\\n  -H 'X-Trace: 7f9c24e8-3b1a-4f5d-9c2e-1a2b3c4d5e6f'`,
    )
    assert.equal(curl({ get: {} }), 'curl "$API/users/{id}"')
  })

  it('uses the server of the document', () => {
    const servers = [{ url: 'https://api.example.com/v1/' }]
    assert.equal(curl({ delete: {} }, { servers }), `curl -X DELETE 'https://api.example.com/v1/users/{id}'`)
    assert.equal(serverAddress(readModel({ servers: [{ url: '/v1' }] })), '$API/v1')
  })

  it('contains placeholders for credentials', () => {
    assert.match(curl({ get: {} }, securing('token')), / -H "Authorization: Bearer \$TOKEN"$/)
    assert.match(curl({ get: {} }, securing('key')), /^curl "\$API\/users\/\{id\}\?api%20key="\$API_KEY$|"\$API_KEY"$/)
    assert.match(curl({ get: {} }, securing('session')), / -b 'sid='"\$COOKIE"$/)
    assert.match(curl({ get: {} }, securing('odd')), / -H 'x-'\\''key: '"\$API_KEY"$/)
    assert.equal(curl({ get: {} }, securing('tls')), 'curl "$API/users/{id}"')
    assert.match(curl({ get: {} }, securing('missing')), /Bearer \$TOKEN"$/)
    const servers = [{ url: 'https://api.example.com' }]
    assert.match(curl({ get: {} }, { ...securing('key'), servers }), /\?api%20key='"\$API_KEY"$/)
  })

  it('contains the body: JSON, a form, or a file', () => {
    assert.match(
      curl({ post: json({ example: { a: "it's" } }) }),
      / -H 'content-type: application\/json' \\\n {2}-d '\{\n {2}"a": "it'\\''s"\n\}'$/,
    )
    const properties = {
      photo: { type: 'string', format: 'binary' },
      icon: { contentMediaType: 'image/png' },
      name: { type: 'string' },
    }
    const form = { requestBody: { content: { 'multipart/form-data': { schema: { properties } } } } }
    assert.match(curl({ post: form }), / -F 'photo=@file' \\\n {2}-F 'icon=@file' \\\n {2}-F 'name=…'$/)
    assert.match(curl({ put: { requestBody: { content: { 'image/png': {} } } } }), / --data-binary @file$/)
    const content = { 'application/x-www-form-urlencoded': { schema: { properties, required: ['name'] } } }
    assert.match(curl({ post: { requestBody: { content } } }), /POST "[^"]*" \\\n {2}--data-urlencode 'name=…'$/)
    const any = (schema: object) => ({ requestBody: { content: { '*/*': { schema } } } })
    assert.match(
      curl({ post: any({ properties: { a: { type: 'integer' } } }) }),
      / -H 'content-type: application\/json' \\\n {2}-d '\{\n {2}"a": 0\n\}'$/,
    )
    assert.match(curl({ post: any({}) }), / -H 'content-type: \*\/\*' \\\n {2}--data-binary @file$/)
  })

  it('reads a server without a scheme as an address', () => {
    assert.match(
      curl({ get: {} }, { servers: [{ url: '//api.example/v1/' }] }),
      /^curl 'https:\/\/api\.example\/v1\/users/,
    )
  })

  it('reads a file for the body if the page is large', () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`/${index}`, { get: {} }]))
    const document = { paths: { '/a': { post: json({ schema: { type: 'object' } }) }, ...many } }
    assert.match(curlLine(readModel(document), first(document)), / -d @body\.json$/)
  })

  it('is one command of a shell for any document', () => {
    const evil = `'; echo HACKED; '"$(echo HACKED)\`echo HACKED\`\u001b[201~\nHACKED`
    const servers = [{ url: `https://x.test/${evil}` }]
    const parameters = [
      { name: evil, in: 'query', required: true, example: evil },
      { name: evil, in: 'header', required: true, example: evil },
      { name: 'id', in: 'path', required: true, example: evil },
    ]
    const schemes = {
      components: { securitySchemes: { e: { type: 'apiKey', in: 'header', name: evil } } },
      security: [{ e: [] }],
    }
    const operation = { parameters, requestBody: { content: { [`${evil}json`]: { example: { [evil]: evil } } } } }
    for (const others of [{ servers, ...schemes }, schemes]) {
      const document = { paths: { [`/{id}/${evil}`]: { additionalOperations: { [evil]: operation } } }, ...others }
      const line = curlLine(readModel(document), first(document))
      assert.ok(!line.includes('\u001b'))
      const out = execFileSync('sh', ['-c', line.replace(/^curl/, `printf '%s\\0'`)], {
        env: { API: 'api' },
      }).toString()
      const run = out.replaceAll(/echo(?: |%20)HACKED|(?:\n|%0A|\\n)HACKED/g, '')
      assert.ok(!run.includes('HACKED'), run)
    }
  })
})

describe('clientLine()', () => {
  const client = (item: object, path?: string) => lineOf(clientLine, item, {}, path)

  it('contains required input', () => {
    const parameters = [
      ID,
      { name: 'sort-by', in: 'query', required: true, schema: { enum: ['name'], type: 'string' } },
      { name: 'deep', in: 'query', required: true, schema: { type: 'boolean' } },
      { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'page', in: 'query', schema: {} },
    ]
    assert.equal(
      client({ put: { parameters, ...json({}) } }),
      `await api('/users/{id}').put({ params: { id: 7 }, query: { 'sort-by': 'name', deep: false }, headers: { 'x-trace': '…' }, body })`,
    )
  })

  it('has no argument without input, and quotes paths', () => {
    assert.equal(client({ get: {} }, `/it's "a"`), String.raw`await api('/it\'s "a"').get()`)
  })
})

describe('chooseExample()', () => {
  const model = readModel({ components: { examples: { One: { value: 1 } } } })

  it('prefers examples of the document, in every form', () => {
    const about = (media: object) =>
      chooseExample(model, { type: 'application/json', about: { schema: { const: 0 }, ...media } })
    assert.equal(about({ example: 5 }), 5)
    assert.equal(about({ examples: { a: { $ref: '#/components/examples/One' } } }), 1)
    assert.equal(about({ examples: { a: { dataValue: 2 } } }), 2)
    assert.equal(about({ examples: { a: { serializedValue: '3' } } }), '3')
    assert.equal(about({}), 0)
    assert.equal(about({ itemSchema: { const: 4 } }), 4)
  })
})
