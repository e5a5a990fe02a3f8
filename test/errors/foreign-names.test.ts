import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { checkForeignNames, FIXES_OF_APPS, FIXES_OF_CONTRACTS } from '#src/errors/foreign-names.js'
import { OPTION_NAMES } from '#src/setup/check-options.js'
import { contract } from '#src/route/contract.js'
import { createUntypedApp } from '#test/apps.js'

const title = z.object({ title: z.string() })

describe('checkForeignNames()', () => {
  for (const [given, message] of [
    [{ port: 3000 }, 'Cannot use the option "port" of createApp(): it is unknown. Write "app.listen({ port: 3000 })"'],
    [
      { prefix: '/v1' },
      /^Cannot use the option "prefix" of createApp\(\): it is unknown\. Name a section after it: "routes: \{ '\/v1'/,
    ],
    [{ globalPrefix: '/v1' }, /Name a section after it/],
    [
      { controllers: [] },
      'Cannot use the option "controllers" of createApp(): it is unknown. Write "routes: { Tasks }", with classes that extend Route',
    ],
  ] as const) {
    it(`names the option of Verbena for createApp({ ${Object.keys(given).join()} })`, () => {
      assert.throws(() => createUntypedApp({ routes: {}, ...given }), { code: 'OPTION_INVALID', message })
    })
  }

  for (const [given, message] of [
    [
      { response: {} },
      'Cannot use the option "response" of a contract of "Tasks": it is unknown. Write "returns: Task", or "returns: { 200: Task, 202: Job }"',
    ],
    [{ response_model: {} }, /"response_model" .* it is unknown\. Write "returns: Task"/],
    [{ statusCode: 201 }, /"statusCode" .* it is unknown\. Write "status: 201"/],
    [
      { returns: { 200: title, default: title } },
      /^Cannot create a contract of "Tasks": "default" in "returns" is not a status\. Write one key/,
    ],
    [{ returns: { default: title } }, /"default" in "returns" is not a status/],
    [{ returns: { '2XX': title } }, /"2XX" in "returns" is not a status/],
    [{ errors: { default: 'Failed' } }, /a status must be an integer from 400 to 599, not default$/],
    [{ errors: ['4XX'] }, /a status must be an integer from 400 to 599, not 4XX$/],
  ] as const) {
    it(`names the fix for a contract with ${JSON.stringify(given).slice(0, 40)}`, () => {
      assert.throws(() => contract('Tasks', given), {
        code: String(message).includes('it is unknown') ? 'OPTION_INVALID' : 'CONTRACT_INVALID',
        message,
      })
    })
  }

  it('has no name that is valid', () => {
    const contract = 'params query headers cookies body uses returns status errors timeout decorators idempotency etag'
    const others = 'compression summary description tags operationId hidden public meta'
    for (const [fixes, known] of [
      [FIXES_OF_APPS, OPTION_NAMES],
      [FIXES_OF_CONTRACTS, `${contract} ${others}`.split(' ')],
    ] as const) {
      for (const name of known) assert.ok(!fixes.has(name.toLowerCase()), name)
    }
  })

  it('accepts other keys', () => {
    checkForeignNames({ routes: 1, toString: 2 }, FIXES_OF_APPS, 'createApp()')
    checkForeignNames(null, FIXES_OF_APPS, 'createApp()')
  })
})
