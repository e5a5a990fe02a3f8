/** `app.check()`: validators that cannot create code in this process. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { afterEach, describe, it } from 'node:test'
import { type } from 'arktype'
import * as v from 'valibot'
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

function check(strict = false) {
  const app = createApp({ routes: { Users, Cups }, strict, jsonSchema: { valibot: () => true } })
  return app.check().filter(({ code }) => code === 'VALIDATOR_SLOW')
}

describe('VALIDATOR_SLOW', () => {
  it('is missing in a process that may create code', () => {
    process.execArgv = ['--stack-size=900']
    assert.deepEqual(check(), [])
  })

  it('reports each validator that creates code, at its first endpoint', () => {
    process.execArgv = [FLAG]
    assert.deepEqual(
      check().map(({ route, method, message, level }) => [route, method, message.slice(0, 23), level]),
      [
        ['Users', 'GET', 'The validator "zod" tak', 'info'],
        ['Cups', 'GET', 'The validator "arktype"', 'info'],
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

  it('does not stop a strict app', () => {
    class Plain extends Route {
      static readonly get = this.contract({ returns: z.object({ name: z.string() }) })
      get() {
        return { name: 'Ada' }
      }
    }
    process.execArgv = [FLAG]
    const app = createApp({ routes: { Plain }, strict: true })
    assert.deepEqual(
      app.check().map(({ code }) => code),
      ['VALIDATOR_SLOW'],
    )
  })

  it('reports a real process with the flag, which Verbena does not violate', () => {
    const verbena = import.meta.resolve('verbena')
    const program = `
      import { createApp, Route } from '${verbena}'
      import * as z from 'zod'
      class Users extends Route {
        static get = this.contract({ returns: z.array(z.object({ name: z.string() })) })
        get() { return [{ name: 'Ada' }] }
      }
      const app = createApp({ routes: { Users }, logger: false })
      const reply = await app.fetch(new Request('http://localhost/users'))
      console.log(app.check().map(({ code }) => code).join(), reply.status, await reply.text())`
    const args = [FLAG, '--import', 'tsx', '--input-type=module', '--eval', program]
    assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'VALIDATOR_SLOW 200 [{"name":"Ada"}]\n')
  })
})
