/** Validators that cannot create code in this process. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type } from 'arktype'
import * as v from 'valibot'
import { RunningApp } from '#src/app/running-app.js'
import { slowValidators } from '#src/cli/slow-validators.js'
import { createApp, provide, Route } from 'verbena'
import * as z from 'zod'

const FLAG = '--disallow-code-generation-from-strings'
const { execArgv } = process
const { NODE_OPTIONS: nodeOptions } = process.env

afterEach(() => {
  process.execArgv = execArgv
  delete process.env['NODE_OPTIONS']
  if (nodeOptions !== undefined) process.env['NODE_OPTIONS'] = nodeOptions
})

class Users extends Route {
  static readonly get = this.contract({ returns: z.object({ name: z.string() }) })
  get() {
    return { name: 'Ada' }
  }
  static readonly post = this.contract({ body: z.object({ name: z.string() }), returns: z.object({ id: z.number() }) })
  post() {
    return { id: 1 }
  }
}

const page = provide({ query: type({ 'page?': 'string' }) }, ({ query }) => query)
class Cups extends Route {
  static readonly uses = { page }
  static readonly get = this.contract({ returns: v.object({ color: v.string() }) })
  get() {
    return { color: 'blue' }
  }
}

function check() {
  const app = createApp({ routes: { Users, Cups }, jsonSchema: { valibot: () => true } })
  const parts = RunningApp.partsOf(app)
  assert.ok(parts)
  assert.deepEqual(
    app.check().filter(({ code }) => String(code) === 'VALIDATOR_SLOW'),
    [],
  )
  return slowValidators(parts.registry.endpoints)
}

describe('VALIDATOR_SLOW', () => {
  it('is missing in a process that may create code', () => {
    process.execArgv = ['--stack-size=900']
    assert.deepEqual(check(), [])
  })

  it('reports each validator that creates code, at its first endpoint', () => {
    process.execArgv = [FLAG]
    assert.deepEqual(
      check().map(({ route, method, message }) => [route, method, message.slice(0, 23)]),
      [
        ['Users', 'GET', 'The validator "zod" tak'],
        ['Cups', 'GET', 'The validator "arktype"'],
      ],
    )
  })

  it('reads the flag with underscores, and from NODE_OPTIONS', () => {
    process.execArgv = [FLAG.replaceAll('-', '_').replace('__', '--')]
    assert.equal(check().length, 2)
    process.execArgv = []
    process.env['NODE_OPTIONS'] = `--stack-trace-limit=20 ${FLAG}`
    assert.equal(check().length, 2)
  })
})
