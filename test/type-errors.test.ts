/**
 * The messages of compilers for typical mistakes, compared with `test/types/snapshots`.
 * `UPDATE_SNAPSHOTS=1` updates the snapshots; review the difference before you commit it.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { COMPILERS, FIXTURES, LEGACY_FIXTURES, typeErrors } from '#test/type-errors.js'
import { readHovers } from '#test/type-errors-hover.js'

/** Maximum number of lines of a message. The compiler uses one more line for a type in a union, or for a type argument. */
const LONGEST = 2
const LONGEST_IN: Readonly<Record<string, number>> = {
  'undeclared-status': 3,
  'bad-middleware': 3,
  'bad-routes': 3,
  'bad-uses': 3,
  'forgotten-await': 4,
  'typed-error': 3,
  'missing-method': 4,
  'two-methods': 5,
}

/** Files that the fixtures import. */
const SUPPORT = ['app.ts', 'users.ts']

/** Patterns that the messages of each fixture must match, with every compiler. */
const SAYS: Readonly<Record<string, readonly RegExp[]>> = {
  'misspelt-key': [/Did you mean to write 'query'/, /unknown key: boddy/],
  'unknown-key': [/unknown key: use/],
  'wrong-contract': [
    /Wrong\.post\(\) has an input that does not match its contract: write 'input: Input<typeof Wrong\.post>'/,
  ],
  'missing-method': [
    /\(10,.*Users has a contract for 'post' but no such method: write 'async post\(input: Input<typeof Users\.post>\)'/,
    /\(11,.*Users has a contract for 'post' but no such method/,
  ],
  'two-methods': [
    /\(15,.*Two\.get\(\) returns a value that does not match its contract: write ': Returns<typeof Two\.get>' after its parameters/,
    /\(16,.*Two\.get\(\) returns a value that does not match/,
  ],
  'missing-service': [/Property 'mailer' is missing/, /db, mailer/, /Property 'services' is missing.*db: Database/],
  'wrong-service': [
    /'number' is not assignable to type 'Database \| Service<Database>'/,
    /'number' is not assignable to type '\(id: string\)/,
  ],
  'undeclared-status': [/Type '409' is not assignable/, /Inferred\.get\(\) replies with 409: name it in 'returns'/],
  'wrong-return': [
    /'number' is not assignable to type 'string'/,
    /'removed' does not exist/,
    /Inferred\.get\(\) returns a value that does not match its contract: write ': Result<typeof Inferred\.get>' after its parameters/,
  ],
  'missing-return': [/must return a value/, /Inferred\.get\(\) returns nothing: .* declare 'returns: null'/],
  'forgotten-await': [
    // At the method if it declares its return type; otherwise where the class is registered: single, in a list, by spread, in a section.
    /\(10,.*Type 'Promise<.*> is missing|\(10,.*'Promise<.*>' is missing/,
    /\(33,.*Inferred\.get\(\) returns a promise in 'friend': await it/,
    /\(33,.*Items\.get\(\) returns a promise in 'each item': await it/,
    /\(33,.*Replies\.get\(\) returns a promise in 'friend': await it/,
    /\(34,.*Inferred\.get\(\) returns a promise in 'friend': await it/,
    /\(35,.*Inferred\.get\(\) returns a promise in 'friend': await it/,
    /\(36,.*routes\[0\]\.get\(\) returns a promise in 'friend': await it/,
  ],
  'sync-method': [
    /\(7,.*'Promise</,
    /\(13,.*'number' is not assignable to type 'string'/,
    /Inferred\.get\(\) returns a value that does not match its contract: write ': Returns<typeof Inferred\.get>' after its parameters/,
  ],
  'typed-error': [
    /'410' is not assignable to parameter of type '404 \| 409'/,
    /Expected 4 arguments, but got 3/,
    /'number' is not assignable to type 'string'/,
    /'seet' does not exist/,
    /'409' is not assignable to parameter of type 'never'/,
    /"header etag"/,
  ],
  'loose-path': [
    /declare it `static readonly`/,
    /declare it `static readonly path`/,
    /Property 'id' does not exist on type '{ 'write `{name}` instead of `:name`': never; }'/,
  ],
  'missing-parameter': [
    /Property 'id' is missing/,
    /'ide' does not exist/,
    /'boolean' is not assignable to type 'string \| number'/,
  ],
  'bad-middleware': [
    /provides too few arguments/,
    /'void' is not assignable to type 'Reply/,
    /'boddy' does not exist on type 'MiddlewareContext'/,
  ],
  'bad-uses': [
    /Property 'user' is missing in type '\{\}'/,
    /the name signal is taken by the context/,
    /'\(\) => number' is/,
    /Property 'db' is missing/,
    /'querry' does not exist.*Did you mean to write 'query'|unknown key: querry/,
  ],
  'bad-routes': [/typeof Forgotten/, /'routes'/, /'version'/],
  client: [
    /'"\/user"' is not assignable/,
    /Property 'delete' does not exist/,
    /Expected 1 arguments/,
    /'ide' does not exist in type '\{ readonly id: string \| number; \}'/,
    /'string' is not assignable to type 'number'/,
    /Did you mean to write 'query'/,
    /'number' is not assignable to type 'string'/,
    /'nmae' does not exist on type '\{ id: string; name: string;/,
  ],
  testing: [
    /Property 'name' is missing/,
    /'dbb' does not exist/,
    /'number' is not assignable to type '\(id: string\)/,
    /Did you mean to write 'override'/,
    /'"post"' is not assignable to parameter of type '"get"'/,
    /Property 'services' is missing/,
  ],
}

describe('type errors', { concurrency: true }, () => {
  it('expects messages for every fixture', () => {
    const fixtures = readdirSync(FIXTURES).filter((name) => name.endsWith('.ts') && !SUPPORT.includes(name))
    assert.deepEqual(fixtures.map((name) => name.slice(0, -'.ts'.length)).toSorted(), Object.keys(SAYS).toSorted())
  })

  for (const [version, compiler] of Object.entries(COMPILERS)) {
    it(`shows short, helpful messages in TypeScript ${version}`, async () => {
      const { text, messages } = await typeErrors(compiler)
      compareWithSnapshot(`test/types/snapshots/errors-${version}.txt`, text)
      for (const { fixture, lines } of messages) {
        assert.ok(lines.length <= (LONGEST_IN[fixture] ?? LONGEST), `longer than allowed:\n${lines.join('\n')}`)
      }
      for (const [fixture, patterns] of Object.entries(SAYS)) {
        const said = messages.filter((message) => message.fixture === fixture).map(({ lines }) => lines.join('\n'))
        for (const pattern of patterns) assert.match(said.join('\n'), pattern, fixture)
      }
    })
  }
})

describe('type errors under experimentalDecorators', { concurrency: true }, () => {
  for (const [version, compiler] of Object.entries(COMPILERS)) {
    it(`explains the fix in TypeScript ${version}`, async () => {
      const { messages } = await typeErrors(compiler, LEGACY_FIXTURES)
      assert.deepEqual(
        messages.map(({ lines }) => /\((\d+),/.exec(lines[0] ?? '')?.[1]),
        ['5', '10'],
      )
      for (const { lines } of messages) {
        assert.match(
          lines.join('\n'),
          /"remove 'experimentalDecorators' from tsconfig\.json, or write 'decorators: \[log\]'/,
        )
      }
    })
  }
})

describe('hover texts of an editor', () => {
  const shown = readHovers('test/types/hover.test-d.ts')

  it('shows plain objects', () => {
    assert.equal(shown.get('params'), '{ org: string; id: string; }')
    assert.equal(shown.get('query'), '{ limit: number; }')
    assert.equal(shown.get('body'), '{ id: string; name?: string | undefined; }')
    assert.equal(shown.get('rawQuery'), 'Readonly<Record<string, string | readonly string[] | undefined>>')
    assert.equal(shown.get('rawBody'), 'unknown')
  })

  it('intersects inputs only with Context', () => {
    const body = '{ id: string; name?: string | undefined; }'
    assert.equal(shown.get('input'), `{ body: ${body}; params: { org: string; id: string; }; } & Context`)
    assert.equal(shown.get('replies'), `Reply<200, ${body}> | Reply<404, null>`)
  })

  it('lists failures with their properties', () => {
    const ours = 'readonly type: string; readonly title: string; readonly status: number; readonly detail?: string'
    const conflict = `{ ${ours}; readonly requestId: string; seat: string; }`
    const success = 'HeadedSuccess<200, { id: string; name?: string | undefined; }, { readonly etag: string; }>'
    assert.equal(shown.get('answer'), `OtherFailure<409, Problem> | Failure<409, ${conflict}> | ${success}`)
    assert.equal(shown.get('conflict'), conflict)
  })
})

function compareWithSnapshot(file: string, text: string): void {
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(file, text)
  assert.equal(text, readFileSync(file, 'utf8'), `${file} differs; UPDATE_SNAPSHOTS=1 updates it`)
}
