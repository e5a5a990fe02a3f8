/** The tool `documentation`: search in the pages of the package. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readDocumentation } from '#src/cli/agent/documentation.js'
import { createDirectory } from '#test/temp-directory.js'

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url))
const SMALL = createDirectory({
  'AGENTS.md': '# For agents\n\nRules about guards.\n',
  'docs/options.md': 'No heading above\n\n# Options\n\nAll options of `createApp`.\n',
  'docs/guides/a.md':
    '# Uploads\n\nFiles.\n\n## Large `files`\n\nA guard.\n\n```sh\n# Not a heading\n```\n\n#### Detail\n\nDeep.\n',
  'docs/guides/b.txt': '# Other\n',
  'docs/how-to/c.md': '# Guards\r\n\r\nWrite a guard, and a guard, and a guard, and a guard, and a guard.\r\n',
})

const list = (query: string): string[] =>
  readDocumentation(SMALL, query, '')
    .split('\n')
    .filter((line) => line.startsWith('- '))

describe('documentation', () => {
  it('finds sections by words and headings, best first', () => {
    assert.deepEqual(list('guards'), [
      '- docs/how-to/c.md#guards: Guards',
      '- docs/guides/a.md#large-files: Uploads, Large files',
      '- AGENTS.md#for-agents: For agents',
    ])
    assert.deepEqual(list('LARGE file'), [
      '- docs/guides/a.md#large-files: Uploads, Large files',
      '- docs/guides/a.md#uploads: Uploads',
    ])
    assert.match(readDocumentation(SMALL, 'deep', ''), /\n## Large `files`\n[^]*# Not a heading\n[^]*\nDeep\.$/)
  })

  it('returns a section, or a page', () => {
    assert.equal(readDocumentation(SMALL, '', 'docs/options.md#options'), '# Options\n\nAll options of `createApp`.')
    assert.match(readDocumentation(SMALL, '', 'docs/guides/a.md'), /^# Uploads\n\nFiles\.\n## Large[^]*Deep\.$/)
  })

  it('names the missing part', () => {
    assert.equal(readDocumentation(SMALL, 'zebra', ''), 'No section contains a word of "zebra"')
    for (const [folder, query, section, reason] of [
      [SMALL, '', '', /^Error: Cannot search the documentation: "query" must contain words$/],
      [SMALL, '?!', '', /must contain words$/],
      [SMALL, '', 'docs/x.md', /^Error: Cannot find the section "docs\/x\.md" in the documentation/],
      [createDirectory({}), 'a', '', /contains no page\. Install "verbena" again$/],
    ] as const) {
      assert.throws(() => readDocumentation(folder, query, section), reason)
    }
  })

  /** Queries, with the page that is among the first five. */
  const QUESTIONS: readonly (readonly [query: string, file: string])[] = [
    ['cursor pagination', 'docs/guides/pagination.md'],
    ['upload a file', 'docs/how-to/upload-file.md'],
    ['idempotency key', 'docs/guides/idempotency.md'],
    ['bearer token authentication guard', 'docs/guides/authentication.md'],
    ['server-sent events stream', 'docs/how-to/send-events.md'],
    ['ROUTE_EMPTY', 'docs/errors.md'],
    ['write tests with replaced services', 'docs/how-to/write-tests.md'],
    ['validate environment variables', 'docs/how-to/validate-environment.md'],
  ]

  for (const [query, file] of QUESTIONS) {
    it(`finds ${file} for "${query}"`, () => {
      const [, , ...lines] = readDocumentation(PACKAGE, query, '').split('\n')
      const first = lines.slice(0, 5)
      assert.ok(
        first.some((line) => line.startsWith(`- ${file}#`)),
        first.join('\n'),
      )
    })
  }
})
