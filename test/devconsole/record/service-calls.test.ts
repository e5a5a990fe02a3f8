import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceCalls, parameterNames } from '#src/devconsole/record/service-calls.js'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { Secrets } from '#src/secrets/secrets.js'

function calls(): ServiceCalls {
  return new ServiceCalls(performance.now(), new RequestRedactor(new Secrets()), (_, next) => next())
}

describe('ServiceCalls', () => {
  it('records arguments and errors of calls without secrets', () => {
    const made = calls()
    made.open('db.find', [{ id: 7, password: 'x' }, undefined]).end(undefined)
    const open = made.open('db.fail', ['select '.repeat(30), 'select '.repeat(30)])
    open.end(new Error('no ?token=abc'))
    open.end(undefined)
    made.open('db.odd', []).end({ toString: null })
    made.open('db.text', []).end('text')
    assert.deepEqual(
      made.list.map(({ name, args, error }) => [name, args.slice(0, 43), error]),
      [
        ['db.find', '{"id":7,"password":"redacted"}, undefined', null],
        ['db.fail', `"${'select '.repeat(6)}`, 'no ?token=redacted'],
        ['db.odd', '', '[cannot be read]'],
        ['db.text', '', 'text'],
      ],
    )
    assert.match(made.list[1]?.args ?? '', /^.{300}…$/)
  })

  it('keeps the first 200 calls and counts the others', () => {
    const made = calls()
    for (let index = 0; index < 250; index++) made.open(`db.m${index}`, []).end(undefined)
    assert.deepEqual([made.list.length, made.count, made.repeated('/').length], [200, 250, 0])
  })

  it('reports calls as repeated if five have the same shape', () => {
    const made = calls()
    for (let id = 1; id <= 5; id++)
      made.open('db.query', [`select * from "a" where id = ${id} and n = 'x${id}'`]).end(undefined)
    for (let id = 1; id <= 4; id++) made.open('db.find', [id]).end(undefined)
    for (const table of ['a', 'b', 'c', 'd', 'e']) made.open('db.query', [`select * from ${table}`]).end(undefined)
    const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    for (let id = 0; id < 6; id++) made.open('cache.get', [`user-${uuid.slice(0, -1)}${id}`]).end(undefined)
    const root = process.cwd()
    assert.deepEqual(
      made.repeated(root).map(({ name, count, site }) => [name, count, site?.file]),
      [
        ['db.query', 5, 'test/devconsole/record/service-calls.test.ts'],
        ['cache.get', 6, 'test/devconsole/record/service-calls.test.ts'],
      ],
    )
    assert.deepEqual(
      made.repeated('/elsewhere').map(({ site }) => site),
      [null, null],
    )
  })
})

class Service {
  login(_email: string, password: string): string {
    return password
  }

  async *list({ page, size }: { page: number; size: number }, [first, second]: [number, number], token = '') {
    yield [page, size, first, second, token]
  }
}

describe('parameterNames()', () => {
  it('returns parameter names in order, with empty names for patterns', () => {
    const service = new Service()
    assert.deepEqual(parameterNames(service.login), ['_email', 'password'])
    assert.deepEqual(parameterNames(service.list), ['', '', 'token'])
    assert.equal(parameterNames(service.list), parameterNames(service.list))
    assert.deepEqual(
      parameterNames((size: number, ...secrets: string[]) => [size, secrets]),
      ['size', 'secrets'],
    )
  })

  it('returns no names for functions without parameters and built-in functions', () => {
    assert.deepEqual(
      [() => {}, Math.max, new Service().login.bind(null), class {}, (value: unknown) => value].map(parameterNames),
      [[], [], [], [], ['value']],
    )
  })
})
