/** `verbena routes`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verbena } from '#test/command-line.js'

describe('verbena routes', () => {
  it('prints a table of all endpoints with guards, versions and the place of each method', async () => {
    const { code, out } = await verbena(['routes', 'app.ts'])
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    assert.deepEqual(rows.slice(0, 7), [
      ['METHOD', 'PATH', 'VERSION', 'GUARDS', 'CLASS', 'FILE'],
      ['GET', '/users', '-', 'user', 'Users', 'app.ts:19'],
      ['DELETE', '/users/{id}', '-', 'user, role', 'UserById', 'app.ts:27'],
      ['POST', '/login', '-', 'public', 'Login', 'app.ts:32'],
      ['POST', '/open', '-', '-', 'Open', 'app.ts:36'],
      ['GET', '/prices', '1.x', '-', 'PricesV1', 'app.ts:44'],
      ['GET', '/prices', '2.x', '-', 'PricesV2', 'app.ts:52'],
    ])
    assert.deepEqual(
      rows.slice(7).map((row) => row.slice(0, 5)),
      [
        ['GET', '/metrics', '-', '-', 'option metrics'],
        ['GET', '/openapi.json', '-', '-', 'option openapi'],
      ],
    )
    assert.equal(code, 0)
  })

  it('has no column for versions if no endpoint has one', async () => {
    const { out } = await verbena(['routes', 'fine.ts'])
    assert.equal(out, 'METHOD  PATH   GUARDS  CLASS  FILE\nGET     /home  public  Home   fine.ts:7\n')
  })

  it('prints JSON with the place of the class, even if its constructor is further down', async () => {
    const { out } = await verbena(['routes', 'app.ts', '--json'])
    assert.deepEqual(JSON.parse(out)[0], {
      method: 'GET',
      path: '/users',
      version: null,
      guards: ['user'],
      public: false,
      class: 'Users',
      file: 'app.ts',
      line: 19,
      classAt: { file: 'app.ts', line: 10 },
    })
  })

  it('redirects the standard output of the module to standard error', async () => {
    const { out, err } = await verbena(['routes', 'app.ts', '--json'])
    assert.deepEqual([out.includes('loaded'), err], [false, 'loaded\n'])
  })
})
