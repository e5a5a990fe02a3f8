import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { methodNotes } from '#src/devconsole/host/method-notes.js'

class Base extends Route {
  postAll(): void {}
}

class Books extends Base {
  readonly getField = (): void => {}
  get(): void {}
  getById(): void {}
  get_by_id(): void {}
  get2(): void {}
  HEAD(): void {}
  options(): void {}
  Delete(): void {}
  getter(): void {}
  postal(): void {}
  format(): void {}
  override postAll(): void {}
  get getLazily(): never {
    throw new Error('not to be read')
  }
}

describe('methodNotes()', () => {
  it('names methods that could be taken for endpoints, those of base classes too, each once', () => {
    assert.deepEqual(
      methodNotes(Books.prototype).map((note) => /^"(\w+)" is a helper and no endpoint/.exec(note)?.[1]),
      ['getById', 'get_by_id', 'get2', 'HEAD', 'options', 'Delete', 'postAll'],
    )
    assert.match(methodNotes(Books.prototype)[0] ?? '', /endpoints are the methods get, post, put, patch, delete\.$/)
  })
})
