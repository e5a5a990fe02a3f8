import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CallFigures, normalizeCall } from '#src/devconsole/store/call-figures.js'
import type { Query, RecordedServiceCall } from '#src/devconsole/wire/request-types.js'
import { createRecord } from '#test/console-records.js'

const QUERY: Query = {
  ...{ kind: 'sql', text: 'select 1', params: null, target: 'shop', start: 0, duration: 5, rows: null },
  ...{ status: null, error: null, site: null, call: null, shape: 0 },
}
const CALL: RecordedServiceCall = {
  ...{ name: 'db.find', start: 0, duration: 5, own: 2, args: '', result: null, error: null, site: null },
}

describe('CallFigures', () => {
  it('keeps the request of the slowest query, and adds no time for a query in progress', () => {
    const figures = new CallFigures()
    figures.add(createRecord({ id: 'r_1', queries: [QUERY] }))
    figures.add(createRecord({ id: 'r_2', queries: [{ ...QUERY, duration: 9, rows: 2 }] }))
    figures.add(createRecord({ id: 'r_3', queries: [{ ...QUERY, duration: null, rows: 3 }] }))
    assert.deepEqual(figures.read().statements, [
      {
        ...{ kind: 'sql', text: 'select ?', target: 'shop', count: 3, errors: 0, total: 14, max: 9, rows: 5 },
        slowest: 'r_2',
      },
    ])
  })

  it('lists the highest total time first', () => {
    const figures = new CallFigures()
    const calls = [CALL, { ...CALL, name: 'db.slow', duration: 50 }]
    figures.add(
      createRecord({
        calls,
        queries: [QUERY, { ...QUERY, text: 'select slow', target: null, duration: 50, shape: 1 }],
      }),
    )
    const { statements, services } = figures.read()
    assert.deepEqual(
      [statements.map(({ text }) => text), services.map(({ name }) => name)],
      [
        ['select slow', 'select ?'],
        ['db.slow', 'db.find'],
      ],
    )
  })

  it('stores 300 statements and 300 methods, and counts the calls beyond them', () => {
    const figures = new CallFigures()
    const names = Array.from({ length: 310 }, (_, index) => String.fromCharCode(0x4e00 + index))
    const queries = names.map((name, shape) => ({ ...QUERY, text: `select ${name}`, shape }))
    const calls = names.map((name) => ({ ...CALL, name }))
    figures.add(createRecord({ queries, calls }))
    figures.add(createRecord({ queries, calls }))
    const { statements, services, dropped } = figures.read()
    assert.deepEqual([statements.length, services.length, dropped], [300, 300, 40])
    assert.ok([...statements, ...services].every(({ count }) => count === 2))
  })
})

describe('normalizeCall()', () => {
  const cases: readonly (readonly [text: string, shape: string])[] = [
    ["select * from books where id = 7 and title = 'x7'", 'select * from books where id = ? and title = ?'],
    ['select  *\n from books where price > 1.50', 'select * from books where price > ?'],
    ['select * from "books2" where id in ($1, $2, $3)', 'select * from "books2" where id in (?, …)'],
    ['select * from books where id in (?, ?)', 'select * from books where id in (?, …)'],
    ["select * from books where title = 'O''Brien' and id = 7", 'select * from books where title = ? and id = ?'],
    // Parameters that mysql2 has put into the text.
    [
      String.raw`select * from books where title = 'O\'Brien\\' and id = 7`,
      'select * from books where title = ? and id = ?',
    ],
    ["select '', 'a\n' from books", 'select ?, ? from books'],
    ["find in the reader's books 7", "find in the reader's books ?"],
    ['GET user-3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'GET user-?'],
    ['GET http://127.0.0.1:8080/users/7?page=2', 'GET http://127.0.0.1:8080/users/??page=?'],
  ]
  for (const [text, shape] of cases) {
    it(`returns ${shape}`, () => assert.equal(normalizeCall(text), shape))
  }
})
