/** The setup that the guide to tracing shows is the one that the example runs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'

it('the guide to tracing shows telemetry.ts of the example as it is', () => {
  const guide = readFileSync('docs/guides/tracing.md', 'utf8')
  const shown = `\`\`\`typescript\n${readFileSync('examples/opentelemetry/telemetry.ts', 'utf8')}\`\`\``
  assert.ok(guide.includes(shown))
})
