import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { classPath } from '#src/naming/class-path.js'

describe('classPath()', () => {
  it('puts a slash before the name in kebab-case', () => {
    assert.equal(classPath('UserProfiles'), '/user-profiles')
  })

  it('refuses a name without words', () => {
    assert.throws(
      () => classPath('$_'),
      (error: unknown) => error instanceof SetupError && error.code === 'ROUTE_NAME' && error.message.includes('"$_"'),
    )
  })
})
