/**
 * The tasks of this folder: the hidden tests pass with the solution, and one of them fails with the typical mistake, for the reason that a
 * page of the package explains.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import type { HiddenTests } from './hidden-tests.js'

interface Task {
  /** Title of the hidden test that fails with the mistake. */
  readonly failing: string
  /** Matches the message of its failure. */
  readonly failure: RegExp
  /** The page that explains the failure, and its heading. */
  readonly page: string
  readonly heading: string
  /** Matches the explanation, in the text below the heading. */
  readonly explanation: RegExp
}

const TASKS: Readonly<Record<string, Task>> = {
  endpoint: {
    failing: 'lists teas',
    failure: /^The list does not have the teas of earlier requests/,
    page: 'docs/guides/routes.md',
    heading: '# Routes',
    explanation: /Each request has a new instance, so instance fields are state of one request/,
  },
  guard: {
    failing: 'rejects them before it reads the body',
    failure: /^Clients without access got 401, 401, 422 for an invalid body/,
    page: 'docs/guides/authentication.md',
    heading: '## Roles',
    explanation: /With 403 in its `errors`, it is a guard, so it runs before the body is read/,
  },
  pagination: {
    failing: 'shows each note while others are deleted',
    failure: /^The page after 1 and 2 has 4 and 5, because 1 was deleted/,
    page: 'docs/guides/pagination.md',
    heading: '# Pagination',
    explanation: /A page starts after a row, not at a number. So no row is missed or repeated/,
  },
  upload: {
    failing: 'stops reading a file that is too large',
    failure: /^The app read \d+ bytes of a file of at most 1000000/,
    page: 'docs/guides/uploads.md',
    heading: '## Options',
    explanation: /`limit` +\| `limits\.body` of the app +\| Maximum size of each file, in bytes/,
  },
  'idempotent-post': {
    failing: 'charges once if the client retries early',
    failure: /^A retry during the first attempt led to 2 charges/,
    page: 'docs/guides/idempotency.md',
    heading: '## Responses',
    explanation: /\| In progress +\| 409/,
  },
  'event-stream': {
    failing: 'sends what a page has missed',
    failure: /^A page that lost its connection got three, without "two"/,
    page: 'docs/guides/responses.md',
    heading: '## Event streams',
    explanation: /`id` +\| The client sends it back as `Last-Event-ID` when it reconnects/,
  },
  version: {
    failing: 'lets caches distinguish the versions',
    failure: /^A cache mixes up the versions: a 200 has "vary: "/,
    page: 'docs/guides/versioning.md',
    heading: '# Versioning',
    explanation: /lists the version header in `Vary`, so that caches do not mix up versions/,
  },
  'error-format': {
    failing: 'has one format for all errors',
    failure: /^Errors of the framework have another format: 422 as application\/problem\+json, 404 as/,
    page: 'docs/guides/errors.md',
    heading: '## A format of your own',
    explanation: /set `errorFormat`. It applies to all errors of the app/,
  },
  transaction: {
    failing: 'changes nothing if the response fails',
    failure: /^The response was a 500, but the balances are 0, 200, 500\.5/,
    page: 'docs/guides/providers.md',
    heading: '## Cleanup after `yield`',
    explanation: /The code after `yield` runs after the response has been validated and serialized/,
  },
  'express-route': {
    failing: 'returns a user',
    failure: /TypeError: response\.json is not a function/,
    page: 'AGENTS.md',
    heading: '## Ten mistakes',
    explanation: /`res\.json\(task\)`, `next\(\)`.* +\| `return task`/,
  },
}

const FOLDER = import.meta.dirname
const MAX_LINES = 150
const { files: PACKED }: { files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'))

describe('tasks for agents', () => {
  it('lists each folder in the table', () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.deepEqual(folders.map(({ name }) => name).toSorted(), Object.keys(TASKS).toSorted())
  })

  for (const [name, { failing, failure, page, heading, explanation }] of Object.entries(TASKS)) {
    it(`${name}: the solution passes the hidden tests`, async () => {
      const failures = await runHiddenTests(name, 'solution')
      for (const error of failures.values()) throw error
    })

    it(`${name}: the typical mistake fails one hidden test`, async () => {
      const failures = await runHiddenTests(name, 'wrong')
      assert.deepEqual([...failures.keys()], [failing], [...failures.values()].map(String).join('\n'))
      assert.match(failures.get(failing)?.message ?? '', failure)
    })

    it(`${name}: a page of the package explains the mistake`, () => {
      assert.ok(isPacked(page), `${page} is not in the package`)
      const text = readFileSync(page, 'utf8')
      assert.ok(text.split('\n').includes(heading), `${page} has no heading "${heading}"`)
      assert.match(readSection(text, heading), explanation)
    })

    it(`${name}: the task is one paragraph without its reason, and its files are short`, () => {
      const task = readFileSync(join(FOLDER, name, 'task.md'), 'utf8')
      assert.ok(!task.trim().includes('\n\n'))
      assert.doesNotMatch(task, failure)
      assert.match(task, /`src\/app\.ts`, which exports `\w+/)
      const texts = readdirSync(join(FOLDER, name)).map((file) => readFileSync(join(FOLDER, name, file), 'utf8'))
      const lines = texts.join('').split('\n').length - 1
      assert.ok(lines <= MAX_LINES, `${lines} lines`)
    })
  }
})

/** Runs the hidden tests of a task. Returns the failures by the title of their test. */
async function runHiddenTests(name: string, file: 'solution' | 'wrong'): Promise<Map<string, Error>> {
  const { hidden }: { hidden: HiddenTests<unknown> } = await import(`./${name}/hidden.js`)
  const module: unknown = await import(`./${name}/${file}.js`)
  const failures = new Map<string, Error>()
  for (const [title, test] of Object.entries(hidden)) {
    await test(module).catch((error: unknown) => {
      failures.set(title, error instanceof Error ? error : new Error(String(error)))
    })
  }
  return failures
}

/** Returns the text below a heading in one line, up to the next heading. */
function readSection(text: string, heading: string): string {
  const [, after = ''] = `\n${text}`.split(`\n${heading}\n`)
  const [section = ''] = after.split(/^#+ /m)
  return section.replaceAll(/\s*\n\s*/g, ' ')
}

function isPacked(path: string): boolean {
  return PACKED.includes(path) || (PACKED.includes(`${dirname(path)}/*.md`) && !PACKED.includes(`!${path}`))
}
