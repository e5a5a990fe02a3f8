/** The tracing guide shows the setup of the example. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'

it('the tracing guide contains telemetry.ts of the example', () => {
  const guide = readFileSync('docs/guides/tracing.md', 'utf8')
  const shown = `\`\`\`typescript\n${readFileSync('examples/opentelemetry/telemetry.ts', 'utf8')}\`\`\``
  assert.ok(guide.includes(shown))
})
