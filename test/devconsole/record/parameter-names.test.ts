import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parameterNames } from '#src/devconsole/record/parameter-names.js'

class Service {
  login(_email: string, password: string): string {
    return password
  }

  async *list({ page, size }: { page: number; size: number }, [first, second]: [number, number], token = '') {
    yield [page, size, first, second, token]
  }
}

describe('parameterNames()', () => {
  it('names parameters in their order, patterns with empty names', () => {
    const service = new Service()
    assert.deepEqual(parameterNames(service.login), ['_email', 'password'])
    assert.deepEqual(parameterNames(service.list), ['', '', 'token'])
    assert.equal(parameterNames(service.list), parameterNames(service.list))
    assert.deepEqual(
      parameterNames((size: number, ...secrets: string[]) => [size, secrets]),
      ['size', 'secrets'],
    )
  })

  it('names none of what has none, and none of the runtime', () => {
    assert.deepEqual(
      [() => {}, Math.max, new Service().login.bind(null), class {}, (value: unknown) => value].map(parameterNames),
      [[], [], [], [], ['value']],
    )
  })
})
