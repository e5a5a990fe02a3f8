/** Validators and code generators of other projects: they find errors at all, and the types that they generate compile. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, describe, it } from 'node:test'
import { usersApp } from '../../examples/users/app.js'
import { openDatabase } from '../../examples/users/store.js'
import { validateDocument, readDocument } from '#test/openapi.js'
import { generateTypes } from '#test/openapi-tools.js'
import { checkTypes } from '#test/run-examples.js'
import { Route } from 'verbena'

class Users extends Route {
  static readonly path = '/users/{id}'
  get() {}
}

describe('OpenAPI validators', () => {
  const document = readDocument({ Users })
  const operation = document.paths['/users/{id}']?.['get']
  const FAULTS: readonly (readonly [about: string, change: object])[] = [
    ['a missing title', { info: { version: '1' } }],
    [
      'a response without a description',
      { paths: { '/users/{id}': { get: { ...operation, responses: { 200: {} } } } } },
    ],
    ['a dangling reference', { components: {} }],
    ['a parameter that the path does not have', { paths: { '/users': { get: operation } } }],
  ]
  for (const [about, change] of FAULTS) {
    it(`report a document with ${about}`, async () =>
      assert.notDeepEqual(await validateDocument({ ...document, ...change }), []))
  }
})

// TypeScript resolves imports from the directory of the program.
const FOLDER = join('.cache', 'openapi-client', String(process.pid))

/** Calls the API with the generated types only; an unused `@ts-expect-error` is an error itself. */
const PROGRAM = `
import type { paths, operations } from './types.js'

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never
type Users = Json<paths['/user-profiles']['get']['responses'][200]>
type NewUser = Json<NonNullable<operations['UserProfiles.post']['requestBody']>>
type Created = Json<operations['UserProfiles.post']['responses'][201]>
type Query = NonNullable<operations['UserProfiles.get']['parameters']['query']>
type Problem = operations['UserProfiles.post']['responses'][422]['content']['application/problem+json']

export async function call(url: string): Promise<string[]> {
  const body: NewUser = { name: 'Eve', age: 7 }
  const query: Query = { limit: 5 }
  // @ts-expect-error - a name is a text
  const wrongName: NewUser = { name: 7 }
  // @ts-expect-error - the name is required
  const noName: NewUser = {}
  // @ts-expect-error - a limit is a number
  const wrongQuery: Query = { limit: 'five' }
  const headers = { 'content-type': 'application/json' }
  const read = async (answer: Promise<Response>) => JSON.parse(await (await answer).text())
  const post = (value: unknown) => {
    return read(fetch(\`\${url}/user-profiles\`, { method: 'POST', headers, body: JSON.stringify(value) }))
  }

  const created: Created = await post(body)
  const users: Users = await read(fetch(\`\${url}/user-profiles?limit=\${query.limit}\`))
  const problem: Problem = await post(wrongName)
  const [first] = problem.errors ?? []
  // @ts-expect-error - the hash of a password is described nowhere
  const hash = users[0]?.passwordHash
  return [created.id, ...users.map(({ name }) => name), \`\${problem.status} \${first?.in}\${first?.pointer}\`, String(hash)]
}
`

describe('generated types of the users example', () => {
  after(() => rmSync(FOLDER, { recursive: true, force: true }))

  it('compile, and match the responses of the running example', async () => {
    await using app = usersApp(await openDatabase())
    const { url } = await app.listen()
    const answer = await fetch(`${url}/openapi.json`)
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(join(FOLDER, 'types.ts'), await generateTypes(Object(await answer.json())))
    writeFileSync(join(FOLDER, 'client.ts'), PROGRAM)
    assert.deepEqual([...checkTypes([join(FOLDER, 'client.ts')], 'tsconfig.json')], [])
    const { call } = await import(pathToFileURL(resolve(FOLDER, 'client.ts')).href)
    assert.deepEqual(await call(url), ['3', 'Ada', 'Grace', 'Eve', '422 body/name', 'undefined'])
  })
})
