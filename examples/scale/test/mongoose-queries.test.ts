/** Queries of Mongoose in the records of the console, which it reports on its channels. No server answers them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import mongoose from 'mongoose'
import { startRecordedApp, type RecordedApp } from '../../postgres/test/recorded-app.js'

const Book = mongoose.model('Book', new mongoose.Schema({ title: String, password: String }))

describe('queries of mongoose', () => {
  let app: RecordedApp

  before(async () => {
    app = await startRecordedApp()
    mongoose.set('bufferTimeoutMS', 50)
  })
  after(() => app.close())

  it('records operations with their collection and error, and hides secrets', async () => {
    const { queries } = await app.recordOf(async () => {
      await assert.rejects(Book.find({ title: 'Emma', password: 'tiger' }).exec(), /timed out/)
      await assert.rejects(Book.aggregate([{ $match: { title: 'Emma' } }]).exec(), /timed out/)
      await assert.rejects(new Book({ title: 'Emma' }).save(), /timed out/)
      await assert.rejects(Book.insertMany([{ title: 'Emma' }]), /timed out/)
    })
    assert.deepEqual(
      queries.map(({ kind, text, params, target }) => [kind, text, params, target]),
      [
        ['mongodb', 'books.find', '{"title":"Emma","password":"redacted"}, {}', 'books'],
        ['mongodb', 'books.aggregate', '[{"$match":{"title":"Emma"}}], {}', 'books'],
        ['mongodb', 'books.save', '{}', 'books'],
        ['mongodb', 'books.insertMany', '[{"title":"Emma"}]', 'books'],
      ],
    )
    for (const { error, duration } of queries) {
      assert.match(String(error), /timed out after 50ms/)
      assert.ok(Number(duration) >= 40)
    }
  })
})
