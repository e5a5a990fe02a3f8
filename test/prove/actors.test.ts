// own process: it changes environment variables, because proofs refuse to run in production
/** The actors of `authorization`, and its setup errors for bad input. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ACTORS, createTasks, MatrixFile, Open, withEnvironment, writtenFile } from '#test/proof.js'
import { bearer, createApp, service } from 'verbena'
import { authorization, type ActorOption } from 'verbena/prove'
import { override } from 'verbena/testing'

describe('authorization(): setup errors', () => {
  const proofError = (message: RegExp) => ({ name: 'SetupError', code: 'PROOF_INVALID', message })

  it('refuses to run in production, and to write if CI is set', async () => {
    using file = await writtenFile()
    await withEnvironment({ NODE_ENV: 'production' }, async () => {
      await assert.rejects(
        file.compare(createTasks(), { actors: ACTORS }),
        proofError(/NODE_ENV is "production"\. Run tests with/),
      )
    })
    for (const CI of ['true', '1']) {
      await withEnvironment({ CI }, async () => {
        await assert.rejects(
          file.update(createTasks(), { actors: ACTORS }),
          proofError(/CI is set\. Run the test with UPDATE=1 on/),
        )
        await file.compare(createTasks(), { actors: ACTORS })
      })
    }
    for (const CI of ['', '0', 'false']) {
      await withEnvironment({ CI }, () => file.update(createTasks(), { actors: ACTORS }))
    }
  })

  const FILES: readonly (readonly [about: string, change: (text: string) => string, message: RegExp])[] = [
    [
      'with CRLF',
      (text) => text.replaceAll('\n', '\r\n'),
      /: its lines end with CRLF\. Add "\* text=auto eol=lf" to \.gitattributes\. Fix it, or run/,
    ],
    [
      'with a conflict',
      (text) => text.replace('\n', '\n<<<<<<< HEAD\n'),
      /: it contains conflict markers\. Fix it, or run/,
    ],
    [
      'of another format',
      (text) => text.replace('authorization 1', 'authorization 2'),
      /: its first line must be "verbena authorization 1 .*, not "verbena authorization 2/,
    ],
    ['without content', () => '', /: its first line must be/],
    ['with one line', (text) => text.replace(/\n[^]*/, ''), /: it has the actors , but the proof has ada, nobody/],
    [
      'of other actors',
      (text) => text.replace('ada ', 'eve '),
      /: it has the actors eve, nobody, but the proof has ada, nobody\. Review/,
    ],
    ['with a short line', (text) => `${text}reached  401\n`, /: line 6 has no endpoint\. Remove the line, or run/],
    ['with a repeated line', (text) => `${text}reached  401  GET /open\n`, /: line 6 repeats GET \/open\. Remove/],
  ]
  for (const [about, change, message] of FILES) {
    it(`rejects a file ${about}`, async () => {
      using file = await writtenFile()
      file.text = change(file.text)
      await assert.rejects(file.compare(createTasks(), { actors: ACTORS }), proofError(message))
    })
  }

  it('rejects a missing file', async () => {
    using file = new MatrixFile()
    await assert.rejects(
      file.compare(createTasks(), { actors: ACTORS }),
      proofError(/authorization\.txt": the file cannot be read\. To write it, run the test once with UPDATE=1$/),
    )
  })

  const NAMES: readonly (readonly [actors: Record<string, ActorOption>, message: RegExp])[] = [
    [{}, /it must have at least one actor\. Write "actors: \{ nobody: \{\} \}"/],
    [{ ada: {}, Ada: {} }, /"ada" and "Ada" have the same name\. Rename one/],
    [{ 'ada b': {} }, /the name "ada b" must be a letter and up to 39/],
    [
      { ada: () => Promise.reject(new Error('no login')) },
      /Cannot sign in the actor "ada": its function failed with "no login"/,
    ],
    [
      {
        ada: () => {
          // oxlint-disable-next-line no-throw-literal -- code may throw any value
          throw 'no login'
        },
      },
      /Cannot sign in the actor "ada": its function failed with "no login"/,
    ],
    [
      { ada: ({ fetch }) => fetch(new Request('http://localhost/open')) },
      /"ada": the response has the status 200 and sets no cookie\. Return the/,
    ],
    [{ ada: { headers: { 'x-key': 'a\nb' } } }, /the actor "ada": its header "x-key" must have a valid name/],
    [{ ada: { headers: { 'x key': 'a' } } }, /its header "x key" must/],
    [{ ada: { cookies: { a: 'b;c' } } }, /its cookie "a" must/],
    [{ ada: { query: { '': 'b' } } }, /its query "" must/],
    [{ ada: { query: { a: Object(1) } } }, /its query "a" must/],
    [
      { ada: { bearer: 'a', headers: { Authorization: 'Bearer b' } } },
      /two of them are in the header "authorization"\. Create/,
    ],
  ]
  for (const [actors, message] of NAMES) {
    it(`rejects actors: ${message.source.slice(0, 60)}`, async () => {
      using file = new MatrixFile()
      await assert.rejects(file.update(createTasks(), { actors }), proofError(message))
    })
  }

  it('signs in an actor by a function without a promise', async () => {
    using file = new MatrixFile()
    await file.update(createTasks(), { actors: { ada: () => ({ bearer: 't-ada' }), nobody: {} } })
    assert.deepEqual(file.rows, [
      'reached  reached  GET /open',
      'reached  401      GET /tasks',
      'reached  401      POST /tasks',
    ])
  })

  it('rejects unknown examples, with a similar name, and an app without endpoints', async () => {
    using file = new MatrixFile()
    const examples = { 'GET /task': {} }
    const message =
      /Cannot use the example "GET \/task" of authorization\(\): no endpoint has this name\. Did you mean "GET \/tasks"\? The endpoints are GET \/open, GET \/tasks, POST \/tasks/
    await assert.rejects(file.update(createTasks(), { actors: ACTORS, examples }), proofError(message))
    const empty = createApp({ routes: {}, openapi: false })
    await assert.rejects(file.update(empty, { actors: ACTORS }), proofError(/the app has no endpoint\. Add a route/))
  })

  it('rejects an app that was started', async () => {
    using file = new MatrixFile()
    const wasStarted = proofError(/Cannot prove the authorization of the app: it was started\. Pass an app/)
    const started = createApp({ routes: { Open }, services: { a: service(() => 1) }, openapi: false })
    await file.update(started, { actors: ACTORS })
    await started.start()
    await assert.rejects(file.update(started, { actors: ACTORS }), wasStarted)
    await started.close()
    const listening = createApp({ routes: { Open }, logger: false, signals: false, openapi: false, devConsole: false })
    await listening.listen({ port: 0 })
    await assert.rejects(file.update(listening, { actors: ACTORS }), wasStarted)
    await listening.close()
    await assert.rejects(file.update(listening, { actors: ACTORS }), wasStarted)
    await assert.rejects(file.update(Object({}), { actors: ACTORS }), { code: 'TEST_INVALID' })
    await assert.rejects(file.update(Object(null), { actors: ACTORS }), { code: 'TEST_INVALID' })
  })

  it('rejects invalid options and overrides', async () => {
    using file = new MatrixFile()
    const app = createTasks()
    const OPTIONS: readonly (readonly [options: object, message: RegExp])[] = [
      [{ actors: ACTORS, file: '' }, /option "file" of authorization\(\): it must be the path/],
      [{ actors: ACTORS }, /option "file" of authorization\(\): it is missing/],
      [{ file: file.path }, /option "actors" of authorization\(\): it is missing/],
      [
        { actors: ACTORS, file: file.path, overrides: { db: 1 } },
        /"overrides\.db" of authorization\(\): it is unknown/,
      ],
    ]
    for (const [options, message] of OPTIONS) {
      await assert.rejects(authorization(app, Object(options)), { code: 'OPTION_INVALID', message })
    }
    const wrong: Record<string, ActorOption> = { ada: Object({ token: 'a' }) }
    await assert.rejects(file.update(app, { actors: wrong }), { code: 'OPTION_INVALID', message: /the actor "ada"/ })
    const other = bearer(() => 1)
    const overrides = { override: [override(other, () => 1)] }
    await assert.rejects(file.update(app, { actors: ACTORS, overrides }), { code: 'TEST_INVALID' })
  })
})
