/** Test apps with an `errorFormat`. */
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

describe('testApp(): errorFormat', () => {
  it('accepts errors in the documented format', async () => {
    await using test = await testApp(appWith(({ status }) => ({ code: status })))
    assert.deepEqual(await (await test.fetch('/seat')).json(), { code: 409 })
    assert.deepEqual(await (await test.fetch('/none')).json(), { code: 404 })
    assert.deepEqual(test.report(), [{ route: 'Seat', method: 'GET', path: '/seat', status: 200 }])
  })

  const WRITERS: readonly (readonly [about: string, write: () => z.infer<typeof schema>, cause: RegExp])[] = [
    ['throws an error', () => assert.fail('no writer'), /no writer/],
    [
      'throws undefined',
      () => {
        // oxlint-disable-next-line no-throw-literal -- code may throw any value
        throw undefined
      },
      /Nothing was thrown/,
    ],
    ['violates its schema', () => Object({ code: 'x' }), /\/code/],
  ]
  for (const [about, write, cause] of WRITERS) {
    it(`rejects the response if "write" ${about}, even without a route`, async () => {
      await using test = await testApp(appWith(write))
      for (const [path, where] of [
        ['/seat', 'GET /seat: 409'],
        ['/none', 'GET /none: 404'],
      ] as const) {
        await assert.rejects(test.fetch(path), (error: unknown) => {
          assert.ok(error instanceof TestFailure)
          assert.match(
            error.message,
            new RegExp(`^Cannot accept the response to ${where}, because its error format failed`),
          )
          assert.match(String(error.cause), cause)
          return true
        })
      }
    })
  }

  it('accepts a failing format with strict: false', async () => {
    await using test = await testApp(
      appWith(() => assert.fail('no writer')),
      { strict: false },
    )
    assert.equal((await test.fetch('/seat')).status, 409)
  })
})
