/** Limits of the issues that a response and the log contain, for invalid requests and invalid responses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, form, provide, Route, type Input } from 'verbena'
import { sendRequest, json, captureLog } from '#test/apps.js'
import * as v from 'valibot'
import * as z from 'zod'

interface Answered {
  readonly errors: readonly { readonly in: string; readonly pointer: string; readonly message: string }[]
  readonly omitted?: number
}

const Numbers = z.record(z.string(), z.number())
const wrong = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'x']))
const queryOf = (count: number): string => new URLSearchParams(Object.entries(wrong(count))).toString()

const needsQuery = provide({ query: v.record(v.string(), v.number()) }, () => 'given')
const slow = z.record(z.string(), z.unknown()).refine(async () => true)

class Labels extends Route {
  static readonly post = this.contract({ query: Numbers, body: Numbers })
  post({ body }: Input<typeof Labels.post>) {
    return body
  }

  static readonly put = this.contract({ query: Numbers.and(slow), body: Numbers })
  put({ body }: Input<typeof Labels.put>) {
    return body
  }

  static readonly patch = this.contract({ body: form(v.record(v.string(), v.number())) })
  patch({ body }: Input<typeof Labels.patch>) {
    return body
  }

  static readonly get = this.contract({ uses: { given: needsQuery } })
  get({ given }: Input<typeof Labels.get>) {
    return given
  }
}

const BROKEN = { ['k'.repeat(1_000)]: Array.from({ length: 150 }, () => 'x') }

class Broken extends Route {
  static readonly get = this.contract({ returns: z.record(z.string(), z.array(z.number())) })
  get() {
    // Proof: the response breaks its contract on purpose.
    return BROKEN as unknown as Record<string, number[]>
  }
}

async function answered(target: string, init: RequestInit, limits: { readonly issues?: number } = {}) {
  const app = createApp({ routes: { Labels }, limits, logger: false })
  const { status, text } = await sendRequest(app, target, init)
  assert.equal(status, 422)
  // Proof: a 422 of the framework has these members.
  const { errors, omitted } = JSON.parse(text) as Answered
  const counts = Object.fromEntries(
    ['query', 'body'].map((source) => [source, errors.filter((issue) => issue.in === source).length]),
  )
  return { errors, omitted, counts, bytes: Buffer.byteLength(text) }
}

describe('issues of a 422', () => {
  it('lists the first 100 issues of all sources in the order of the sources', async () => {
    for (const method of ['POST', 'PUT']) {
      const { counts, omitted } = await answered(`/labels?${queryOf(70)}`, json(wrong(60), method))
      assert.deepEqual([counts, omitted], [{ query: 70, body: 30 }, 30])
    }
  })

  it('lists all issues without a count if none are omitted', async () => {
    const { counts, omitted } = await answered(`/labels?${queryOf(40)}`, json(wrong(60)))
    assert.deepEqual([counts, omitted], [{ query: 40, body: 60 }, undefined])
  })

  it('lists at most limits.issues issues', async () => {
    assert.deepEqual((await answered('/labels', json(wrong(9)), { issues: 7 })).omitted, 2)
    const none = await answered('/labels', json(wrong(9)), { issues: 0 })
    assert.deepEqual([none.errors, none.omitted], [[], 9])
    const all = await answered('/labels', json(wrong(400)), { issues: 400 })
    assert.deepEqual([all.counts['body'], all.omitted], [400, undefined])
  })

  it('uses less than 64 kB for any value of limits.issues', async () => {
    const { bytes, errors, omitted = 0 } = await answered('/labels', json(wrong(5_000)), { issues: 1_000_000 })
    assert.ok(bytes < 64_000 && bytes > 50_000, `${bytes} bytes`)
    assert.equal(errors.length + omitted, 5_000)
  })

  it('limits the issues of forms and of provider sources', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const ofForm = await answered('/labels', { method: 'PATCH', headers, body: queryOf(150) })
    assert.deepEqual([ofForm.counts['body'], ofForm.omitted], [100, 50])
    const ofProvider = await answered(`/labels?${queryOf(150)}`, {})
    assert.deepEqual([ofProvider.counts['query'], ofProvider.omitted], [100, 50])
  })

  it('distinguishes long keys with a common prefix', async () => {
    const begin = 'k'.repeat(300)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = `${begin}1=x&${begin}2=7&${begin}3=8`
    const { errors, omitted } = await answered('/labels', { method: 'PATCH', headers, body })
    assert.deepEqual([errors.length, omitted], [1, undefined])
    assert.equal(errors[0]?.pointer, `/${'k'.repeat(256)}…`)
  })
})

describe('issues of a contract violation', () => {
  it('limits the issues of a contract violation and its message', async () => {
    const { logger, lines } = captureLog()
    const app = createApp({ routes: { Broken }, logger, limits: { issues: 20 } })
    assert.equal((await sendRequest(app, '/broken')).status, 500)
    const error = lines[0]?.fields['err']
    assert.ok(error instanceof Error && 'issues' in error && Array.isArray(error.issues))
    assert.equal(error.issues.length, 20)
    assert.match(error.message, /\/k{256}…\/19: [^\n]+\n {2}and 130 more$/)
  })
})
