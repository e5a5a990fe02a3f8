/** Stacks of setup errors begin at the caller of each public function. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as verbena from 'verbena'
import * as decorators from 'verbena/decorators'
import * as files from 'verbena/files'
import * as idempotency from 'verbena/idempotency'
import * as limits from 'verbena/limits'
import * as multipart from 'verbena/multipart'
import * as session from 'verbena/session'
import * as testing from 'verbena/testing'
import * as upgrade from 'verbena/upgrade'
import * as z from 'zod'

const { createApp, Route, SetupError } = verbena

class Home extends Route {
  get() {}
}

/** Returns the first frame of a setup error's stack that is in a file. */
function firstFrame(error: unknown): string {
  assert.ok(error instanceof SetupError, String(error))
  assert.match(error.stack ?? '', /^SetupError: Cannot /)
  const frames = String(error.stack)
    .split('\n')
    .filter((line) => /^ +at .*\.[cm]?[jt]s:\d/.test(line))
  return frames.find((line) => !line.includes('node:')) ?? ''
}

/** Calls a public function with invalid arguments, as plain JavaScript can. */
function wrongCall(name: string, given: readonly unknown[]): unknown {
  const all: object = {
    ...{ ...verbena, ...decorators, ...files, ...idempotency, ...limits, ...multipart, ...session },
    ...{ ...testing, ...upgrade },
  }
  return Reflect.apply(Object(Reflect.get(all, name)), undefined, given)
}

/** Invalid options for each of these functions. */
const WRONG_OPTIONS = { wrong: 7 }
const NAMES = [
  ...['anyOf', 'apiKey', 'basic', 'bearer', 'bytes', 'cacheControl', 'createApp', 'cursor', 'deprecated', 'events'],
  ...['files', 'form', 'group', 'health', 'idempotency', 'json', 'jwt', 'log', 'memoryLimits', 'multipart', 'optional'],
  ...['override', 'parts', 'precondition', 'provide', 'rateLimit', 'redisIdempotency', 'redisLimits', 'redisSessions'],
  ...['sealedCookie', 'service', 'session', 'signedCookie', 'signedIn', 'stream', 'testApp'],
  ...['text', 'upgrade'],
]
const WRONG: readonly (readonly [name: string, ...given: unknown[]])[] = [
  ...NAMES.map((name) => [name, WRONG_OPTIONS] as const),
  ['environment', z.object({ PORT: z.string() }), {}],
  ['invoke', WRONG_OPTIONS, 'get'],
  ['sendFile', 'README.md', WRONG_OPTIONS],
  ['speed', { slow: -1 }],
]

describe('stack of a setup error', () => {
  for (const [name, ...given] of WRONG) {
    it(`begins at the caller of ${name}()`, async () => {
      let thrown: unknown
      try {
        await wrongCall(name, given)
      } catch (error) {
        thrown = error
      }
      assert.match(firstFrame(thrown), /author-calls\.test\.ts/)
    })
  }

  it('begins at the caller of app.listen() and app.attach()', async () => {
    const app = createApp({ routes: { Home }, logger: false })
    await app.close()
    await assert.rejects(app.listen(), (error: unknown) => {
      assert.match(firstFrame(error), /author-calls\.test\.ts/)
      return true
    })
    assert.throws(
      () => Reflect.apply(app.attach, app, [{}]),
      (error: unknown) => {
        assert.match(firstFrame(error), /author-calls\.test\.ts/)
        return true
      },
    )
  })

  it('begins at the caller even below 150 other frames', () => {
    const deep = (depth: number): unknown =>
      depth === 0 ? createApp({ routes: {}, ...Object({ nope: 1 }) }) : deep(depth - 1)
    assert.throws(
      () => deep(150),
      (error: unknown) => {
        assert.match(firstFrame(error), /author-calls\.test\.ts/)
        return true
      },
    )
  })

  it('restores Error.stackTraceLimit and Error.prepareStackTrace', () => {
    const { stackTraceLimit, prepareStackTrace } = Error
    assert.throws(() => createApp({ routes: { Home: class extends Route {} } }), SetupError)
    assert.deepEqual([Error.stackTraceLimit, Error.prepareStackTrace], [stackTraceLimit, prepareStackTrace])
    // The stack does not change if no registered function has thrown the error.
    assert.match(new SetupError('ROUTE_EMPTY', 'Cannot x: y').stack ?? '', /author-calls\.test\.ts/)
  })

  it('makes Node print your line of code for an uncaught setup error', async () => {
    const folder = mkdtempSync(join(process.cwd(), 'test', 'tmp-author-'))
    const file = join(folder, 'app.mts')
    writeFileSync(
      file,
      "import { createApp, Route } from 'verbena'\nclass Empty extends Route {}\ncreateApp({ routes: { Empty } })\n",
    )
    const printed = await new Promise<string>((resolve) => {
      execFile(process.execPath, ['--import', 'tsx', file], (_, __, stderr) => resolve(stderr))
    })
    rmSync(folder, { recursive: true })
    const [place, line] = printed.split('\n')
    assert.match(place ?? '', /app\.mts:3$/, printed)
    assert.match(line ?? '', /^createApp\(/)
    assert.doesNotMatch(printed, /throw new SetupError/)
  })
})
