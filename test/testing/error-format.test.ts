/** Test apps, and a format of errors. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, HttpError, Route, type Problem } from 'verbena'
import { testApp, TestFailure } from 'verbena/testing'
import * as z from 'zod'

class Seat extends Route {
  static readonly get = this.contract({ errors: [409] })
  async get() {
    throw new HttpError(409, 'Taken')
  }
}
const schema = z.object({ code: z.number() })

function appWith(write: (problem: Problem) => z.infer<typeof schema>) {
  return createApp({ routes: { Seat }, errorFormat: { mediaType: 'application/json', schema, write } })
}

describe('testApp(): a format of errors', () => {
  it('is what the document says', async () => {
    await using test = await testApp(appWith(({ status }) => ({ code: status })))
    assert.deepEqual(await (await test.fetch('/seat')).json(), { code: 409 })
    assert.deepEqual(await (await test.fetch('/none')).json(), { code: 404 })
    assert.deepEqual(test.report(), [{ route: 'Seat', method: 'GET', path: '/seat', status: 200 }])
  })

  const WRITERS: readonly (readonly [about: string, write: () => z.infer<typeof schema>, cause: RegExp])[] = [
    ['that throws', () => assert.fail('no writer'), /no writer/],
    [
      'that throws nothing',
      () => {
        // oxlint-disable-next-line no-throw-literal -- anything may be thrown
        throw undefined
      },
      /Nothing was thrown/,
    ],
    ['that breaks its schema', () => Object({ code: 'x' }), /\/code/],
  ]
  for (const [about, write, cause] of WRITERS) {
    it(`${about} fails the call, where no route answers too`, async () => {
      await using test = await testApp(appWith(write))
      for (const [path, where] of [
        ['/seat', 'GET /seat: 409'],
        ['/none', 'GET /none: 404'],
      ] as const) {
        await assert.rejects(test.fetch(path), (error: unknown) => {
          assert.ok(error instanceof TestFailure)
          assert.match(error.message, new RegExp(`^Cannot accept the answer of ${where}, and its error format failed`))
          assert.match(String(error.cause), cause)
          return true
        })
      }
    })
  }

  it('may fail where nothing is compared', async () => {
    await using test = await testApp(
      appWith(() => assert.fail('no writer')),
      { strict: false },
    )
    assert.equal((await test.fetch('/seat')).status, 409)
  })
})
