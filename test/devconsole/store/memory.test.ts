// own process: it measures the heap
/** The counted memory of the console equals its real memory, for small requests and for hostile ones. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { describe, it } from 'node:test'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { makeParts, type ConsoleParts } from '#src/devconsole/serve/console-parts.js'
import { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { HttpError } from '#src/errors/http-error.js'
import { Secrets } from '#src/secrets/secrets.js'
import type { RecordedRequest } from '#src/observe/request-recorder.js'
import { createHost } from '#test/console-host.js'
import { okResponse, QUIET } from '#test/console-trails.js'
import { heapAfterGc } from '#test/heap.js'

const MB = 1024 * 1024
const REQUESTS = 200
/** Memory of a console beside its records: groups of problems, caches of bounded size, compiled code. */
const APART = 4 * MB

/** Creates a string with separate memory, like a parser or a socket. */
function textOf(size: number, seed: number): string {
  return Buffer.from(`${seed}-`.padEnd(size, 'abcdefgh')).toString()
}

interface Shape {
  readonly url?: string
  readonly facts: Partial<RecordedRequest>
  readonly status?: number
  /** Runs before the request ends. */
  readonly work?: (trail: RecordedTrail, parts: ConsoleParts) => void
}

/** Hostile requests, one for each number. */
const SHAPES: Readonly<Record<string, (seed: number) => Shape>> = {
  'many issues with long keys': (seed) => ({
    facts: { error: invalid(1_000, `/labels/${textOf(100_000, seed)}`) },
    status: 422,
  }),
  'long complaints': (seed) => ({ facts: { error: invalid(200, '/a', textOf(50_000, seed)) }, status: 422 }),
  'complaints that are parts of a long text': (seed) => {
    const whole = textOf(200_000, seed)
    return { facts: { error: invalid(5, whole.slice(100, 160), whole.slice(200, 300)) }, status: 422 }
  },
  'issues of an answer': (seed) => {
    const issues = Array.from({ length: 1_000 }, (_, at) => ({
      pointer: `/${textOf(20_000, seed)}/${at}`,
      message: 'No',
    }))
    return { facts: { error: { name: 'ContractBreach', issues } }, status: 500 }
  },
  'long names and values of header fields': (seed) => ({
    facts: {
      headers: {
        [textOf(8_000, seed)]: textOf(8_000, seed),
        'content-type': textOf(16_000, seed),
        host: textOf(9_000, seed),
      },
      body: Buffer.from('x'),
    },
  }),
  'parts of long fields': (seed) => {
    const whole = textOf(100_000, seed)
    const parts = Array.from({ length: 30 }, (_, at) => whole.slice(at * 100, at * 100 + 90))
    return {
      facts: {
        lines: parts.flatMap((part) => [part.slice(0, 20), part]),
        response: okResponse(200, whole.slice(0, 100)),
      },
    }
  },
  'long targets': (seed) => ({
    url: `/${textOf(60_000, seed)}?${textOf(60_000, seed)}`,
    facts: { path: `/${textOf(60_000, seed)}`, query: textOf(60_000, seed), params: { a: textOf(60_000, seed) } },
  }),
  'parts of a long target': (seed) => {
    const whole = `/${textOf(100_000, seed)}?${textOf(100, seed)}`
    const query = whole.slice(100_002, 100_040)
    return {
      facts: {
        path: whole.slice(0, 20),
        query,
        params: { id: whole.slice(1, 20) },
        traceId: whole.slice(3, 35),
        client: whole.slice(1, 20),
      },
    }
  },
  'bodies full of secrets': (seed) => ({
    facts: { headers: { 'content-type': 'text/plain' }, body: Buffer.from(`${seed} `.padEnd(16_000, 'pin:1,')) },
  }),
  'bodies beyond Latin-1': (seed) => ({
    facts: { headers: { 'content-type': 'text/plain' }, body: Buffer.from(`${seed} ☃`.padEnd(10_000, '☃')) },
  }),
  'errors with causes, members and long texts': (seed) => ({ facts: { error: grove(seed, 4) }, status: 500 }),
  'errors whose message is a part of a long text': (seed) => ({
    facts: { error: new Error(textOf(300_000, seed).slice(10, 200), { cause: textOf(300_000, seed).slice(10, 200) }) },
    status: 500,
  }),
  'many calls with long arguments, that fail': (seed) => ({
    facts: {},
    work: (trail) => {
      const whole = textOf(100_000, seed)
      for (let call = 0; call < 400; call++) {
        trail
          .called('db.find', [whole.slice(call, call + 100), { [whole.slice(0, 50)]: whole }])
          ?.end(new Error(whole.slice(call, call + 250)))
      }
    },
  }),
  'many small lines': (seed) => ({
    facts: {},
    work: (trail, { recorder }) => {
      for (let line = 0; line < 50; line++) {
        recorder.lineOf(trail, {
          level: 'info',
          fields: { [`k${seed}-${line}`]: Array.from({ length: 90 }, () => ({})) },
          message: '',
        })
      }
    },
  }),
  'lines with parts of long texts': (seed) => ({
    facts: {},
    work: (trail, { recorder }) => {
      const whole = textOf(500_000, seed)
      const fields = { a: whole.slice(5, 250), [whole.slice(0, 60)]: 1, words: `few words ${whole}` }
      recorder.lineOf(trail, { level: whole.slice(0, 300), fields, message: whole.slice(7, 400) })
    },
  }),
}

function invalid(count: number, pointer: string, message = 'Wrong'): HttpError {
  const errors = Array.from({ length: count }, (_, at) => ({
    in: 'body',
    pointer: `${pointer}/${at}`,
    message,
    code: message,
  }))
  return new HttpError(422, 'no', { errors })
}

/** Ten members, each with ten members, and a cause each. */
function grove(seed: number, levels: number): Error {
  const message = textOf(6_000, seed)
  if (levels === 0) return new Error(message)
  const members = Array.from({ length: levels === 4 ? 10 : 3 }, () => grove(seed, levels - 1))
  return new AggregateError(members, message, { cause: new Error(message) })
}

function answer(parts: ConsoleParts, { url = '/', facts, status = 200, work }: Shape): void {
  const head = { method: 'POST', url }
  const began = performance.now()
  const trail = parts.recorder.begin(head, began) ?? parts.recorder.observe(head, began)
  assert.ok(trail instanceof RecordedTrail)
  work?.(trail, parts)
  trail.end({ ...QUIET, response: okResponse(status), ...facts })
}

/** Apart, so that the last request is not held by the frame of the function that measures. */
function answerAll(parts: ConsoleParts, make: (seed: number) => Shape): void {
  for (let seed = 1; seed <= REQUESTS; seed++) answer(parts, make(seed))
}

function countedBy({ store, logs }: ConsoleParts): number {
  return store.facts(0).bytes + logs.items.reduce((sum, { bytes }) => sum + bytes, 0)
}

describe('console memory', () => {
  // The first run compiles the code, which the test does not measure.
  for (const make of Object.values(SHAPES)) answer(makeParts(createHost()), make(0))

  for (const [name, make] of Object.entries(SHAPES)) {
    it(`uses at most twice the counted memory: ${name}`, async () => {
      const parts = makeParts(createHost())
      const before = await heapAfterGc()
      answerAll(parts, make)
      const held = (await heapAfterGc()) - before
      const counted = countedBy(parts)
      assert.ok(parts.store.all.length > 0)
      assert.ok(
        held < 2 * counted + APART,
        `${(held / MB).toFixed(1)} MB held, ${(counted / MB).toFixed(1)} MB counted`,
      )
      assert.ok(counted < 20 * MB, `${(counted / MB).toFixed(1)} MB counted`)
    })
  }

  it('caches a limited number of header names, and none longer than 64 characters', async () => {
    const hider = new RequestRedactor(new Secrets())
    const before = await heapAfterGc()
    for (let seed = 0; seed < 1_000; seed++) hider.headers([[textOf(16_000, seed), 'x']])
    for (let seed = 0; seed < 50_000; seed++) hider.headers([[textOf(64, seed), textOf(300, seed)]])
    const held = (await heapAfterGc()) - before
    assert.ok(held < MB, `${(held / MB).toFixed(1)} MB`)
    assert.ok(hider.names.isKey('token'))
  })
})
