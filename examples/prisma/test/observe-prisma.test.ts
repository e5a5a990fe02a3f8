/** Operations of Prisma in the records of the console, also in a transaction. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { observePrisma } from '../../postgres/observe-prisma.js'
import { readFacts, startRecordedApp, type RecordedApp } from '../../postgres/test/recorded-app.js'
import { startDatabase, type TestDatabase } from '../../postgres/test/support.js'

// The types of Prisma do not compile with "skipLibCheck": false.
const [adapter, generated]: string[] = ['@prisma/adapter-pg', '../generated/client.ts']
const { PrismaPg } = await import(String(adapter))
const { PrismaClient } = await import(String(generated))

const SECRET = 'select id from "Note" join (values (\'a\')) as t (password) on password = $1 where id = $2'
const NOT_FOUND =
  '\nInvalid `prisma.note.findUniqueOrThrow()` invocation:\n\n\nAn operation failed because it depends on one or more records that were ' +
  'required but not found. No record was found for a query.'

describe('observePrisma', () => {
  let server: TestDatabase
  let app: RecordedApp

  before(async () => {
    server = await startDatabase()
    app = await startRecordedApp()
  })
  after(async () => {
    await app.close()
    await server.server.remove()
  })

  it('records operations, rows and errors, also in a transaction', async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg(server.options), errorFormat: 'minimal' }).$extends(
      observePrisma,
    )
    await prisma.$executeRawUnsafe('create table "Note" (id serial primary key, text text not null)')
    const { queries } = await app.recordOf(async () => {
      await prisma.note.create({ data: { text: 'a' } })
      await prisma.note.createMany({ data: [{ text: 'b' }, { text: 'c' }] })
      const list: unknown[] = await prisma.note.findMany({ where: { text: { not: 'a' } } })
      assert.equal(list.length, 2)
      await prisma.$transaction(async (tx: typeof prisma) => tx.note.count())
      await assert.rejects(prisma.note.findUniqueOrThrow({ where: { id: 99 } }))
      await prisma.$queryRaw`select ${7}::int`
      await prisma.$queryRaw`select id from "Note" join (values ('a')) as t (password) on password = ${'tiger'} where id = ${1}`
      await prisma.$queryRawUnsafe(SECRET, 'tiger', 1)
    })
    await prisma.$disconnect()
    assert.deepEqual(readFacts(queries), [
      ['Note.create', '{"data":{"text":"a"}}', null, null],
      ['Note.createMany', '{"data":[{"text":"b"},{"text":"c"}]}', 2, null],
      ['Note.findMany', '{"where":{"text":{"not":"a"}}}', 2, null],
      ['Note.count', '{}', null, null],
      ['Note.findUniqueOrThrow', '{"where":{"id":99}}', null, NOT_FOUND],
      ['select $1::int', '7', 1, null],
      [SECRET, '"redacted", 1', 0, null],
      [SECRET, '"redacted", 1', 0, null],
    ])
    assert.equal(queries.at(-1)?.site?.file, 'test/observe-prisma.test.ts')
  })
})
