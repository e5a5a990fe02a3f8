import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ids } from '#src/reference/ids.js'

describe('Ids', () => {
  it('keeps letters, digits and dots, and replaces all other characters', () => {
    const ids = new Ids()
    assert.equal(ids.create('Users.get'), 'Users.get')
    assert.equal(ids.create('Пользователи.get'), 'Пользователи.get')
    assert.equal(ids.create(`get /a "b" <c>#%`), 'get-a-b-c-')
  })

  it('numbers equal ids, also ids of the page itself', () => {
    const ids = new Ids()
    assert.deepEqual(
      ['a', 'a', 'a', 'a-2', 'top'].map((name) => ids.create(name)),
      ['a', 'a-2', 'a-3', 'a-2-2', 'top-2'],
    )
  })

  it('limits the length, and stays fast with many equal names', () => {
    const ids = new Ids()
    const created = new Set(Array.from({ length: 50_000 }, () => ids.create('x'.repeat(1_000))))
    assert.equal(created.size, 50_000)
    assert.ok(ids.create('y'.repeat(1_000)).length <= 200)
  })
})
