/** The tracing guide shows the setups of the examples. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'

for (const file of ['examples/opentelemetry/telemetry.ts', 'examples/sentry/datadog.ts']) {
  it(`the tracing guide contains ${file}`, () => {
    const guide = readFileSync('docs/guides/tracing.md', 'utf8')
    assert.ok(guide.includes(`\`\`\`typescript\n${readFileSync(file, 'utf8')}\`\`\``))
  })
}
