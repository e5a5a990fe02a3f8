// own process: it uses the debugger, after which V8 counts no blocks of the code
/** The error of a proof that failed, with the places of classes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ACTORS, Open, useDebugger, writtenFile } from '#test/proof.js'
import { createApp, Route } from 'verbena'
import { ProofFailure } from 'verbena/prove'

useDebugger()

describe('authorization(): places', () => {
  it('fails for a guard that is removed, and names the class with its file and line', async () => {
    using file = await writtenFile()
    class Unguarded extends Route {
      static readonly path = '/tasks'
      async get() {
        return []
      }
      async post() {
        return 1
      }
    }
    const app = createApp({ routes: { Unguarded, Open }, openapi: false })
    await assert.rejects(file.compare(app, { actors: ACTORS }), (error) => {
      assert.ok(error instanceof ProofFailure)
      assert.match(
        error.message,
        /^Cannot accept the authorization of the app\nGET \/tasks \(Unguarded at .*proof-failure\.test\.ts:\d+\): nobody: reached, but/,
      )
      assert.equal(error.lines.length, 2)
      return true
    })
  })
})

describe('ProofFailure', () => {
  it('has all lines in its message', () => {
    const error = new ProofFailure('Cannot accept the app', ['GET /a: 1', 'GET /b: 2'])
    assert.equal(String(error), 'ProofFailure: Cannot accept the app\nGET /a: 1\nGET /b: 2')
    assert.deepEqual(error.lines, ['GET /a: 1', 'GET /b: 2'])
  })
})
