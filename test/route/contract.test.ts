import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { contract, readContract } from '#src/route/contract.js'
import * as z from 'zod'

describe('contract()', () => {
  it('keeps what was said, apart from the object it was said with', () => {
    const spec: Record<string, unknown> = { summary: 'List', query: z.object({}) }
    const made = contract('Users', spec)
    spec['summary'] = 'Other'
    assert.equal(readContract(made)?.summary, 'List')
  })

  it('cannot be altered', () => {
    const made = contract('Users', { summary: 'List' })
    assert.throws(() => Object.assign(made['~spec'], { status: 500 }), TypeError)
    assert.throws(() => Object.assign(made, { '~spec': {} }), TypeError)
  })

  it('is what `this.contract` makes', () => {
    class Users extends Route {
      static readonly get = this.contract({ summary: 'List' })
    }
    assert.deepEqual(readContract(Users.get), { summary: 'List' })
  })
})

describe('readContract()', () => {
  it('reads nothing but a contract: a look-alike has not been checked', () => {
    const lookalike = { '~spec': { uses: {} } }
    for (const value of [undefined, null, {}, lookalike, () => {}]) assert.equal(readContract(value), undefined)
  })
})
