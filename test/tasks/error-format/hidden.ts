import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import { postJson, type HiddenTests } from '../hidden-tests.js'

/** Returns the status, and the code of an error in the format of the task. */
async function readCode(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  const body = Object(await response.json())
  const isInFormat = type.startsWith('application/json') && typeof body.error?.message === 'string'
  return `${response.status} ${isInFormat ? body.error.code : `as ${type}`}`
}

export const hidden: HiddenTests = {
  async 'accepts a coupon'({ app }) {
    await using test = await testApp(app)
    const response = await test.fetch('/coupons', postJson({ code: 'AUTUMN' }))
    assert.deepEqual(await response.json(), { percent: 10 })
  },

  async 'rejects a coupon that has expired'({ app }) {
    await using test = await testApp(app)
    assert.equal(await readCode(await test.fetch('/coupons', postJson({ code: 'SPRING' }))), '409 COUPON_EXPIRED')
  },

  async 'has one format for all errors'({ app }) {
    await using test = await testApp(app)
    const requests: readonly (readonly [path: string, init: RequestInit])[] = [
      ['/coupons', postJson({ code: 'A' })],
      ['/none', {}],
      ['/coupons', {}],
      ['/coupons', { ...postJson({}), body: '{' }],
    ]
    const codes = []
    for (const [path, init] of requests) codes.push(await readCode(await test.fetch(path, init)))
    const expected = ['422 INVALID', '404 NOT_FOUND', '405 FAILED', '400 FAILED']
    assert.deepEqual(codes, expected, `Errors of the framework have another format: ${codes.join(', ')}`)
  },
}
