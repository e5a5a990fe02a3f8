/** The ten lines of the README, in a project that `verbena new` creates. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { App } from 'verbena'
import { json, start } from './start.js'

const CLI = resolve('../../src/cli/bin.ts')
/** Below this folder, so that Node finds the packages. */
const CACHE = resolve('.cache')

/** Creates the project, and adds the lines to its app. */
function createProject(lines: readonly string[]): string {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'ten-lines-'))
  execFileSync(process.execPath, ['--import', 'tsx', CLI, 'new', join(folder, 'api')])
  const path = join(folder, 'api/src/app.ts')
  const source = readFileSync(path, 'utf8').replace('routes: {', `routes: {\n${lines.slice(-2).join('\n')}`)
  writeFileSync(path, `${lines.slice(0, -2).join('\n')}\n${source}`)
  return folder
}

describe('ten lines', () => {
  const [, code = ''] = /```ts no-run\n([^]*?)\n```/.exec(readFileSync('README.md', 'utf8')) ?? []
  const lines = code.split('\n')
  const folder = createProject(lines)
  after(() => rmSync(folder, { recursive: true }))

  it('mount an authentication handler and a GraphQL server in a new project', async (t) => {
    assert.equal(lines.length, 10)
    // Required in production.
    process.env['BETTER_AUTH_SECRET'] = 'only-for-this-test-0123456789abcdef'
    const { app: made } = await import(pathToFileURL(join(folder, 'api/src/app.ts')).href)
    // Proof: the project exports its app.
    const { url, app } = await start(t, made as App)
    const ada = { name: 'ada', email: 'ada@example.com', password: 'lovelace-1815' }
    const signUp = await fetch(`${url}/api/auth/sign-up/email`, json(ada, { origin: 'http://localhost:3000' }))
    assert.equal(signUp.status, 200, await signUp.text())
    const cookie = signUp.headers
      .getSetCookie()
      .map((each) => each.split(';', 1)[0])
      .join('; ')
    const session = await fetch(`${url}/api/auth/get-session`, { headers: { cookie } })
    assert.equal(Object((await session.json()) as unknown).user.name, 'ada')
    const hello = await fetch(`${url}/graphql`, json({ query: '{ hello }' }))
    assert.deepEqual(await hello.json(), { data: { hello: 'world' } })
    assert.equal((await fetch(`${url}/tasks`)).status, 200)
    assert.deepEqual(app.check(), [])
  })
})
