/** Spans of dd-trace in a separate process, which prints them instead of sending them to an agent. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'

interface Span {
  readonly name: string
  readonly resource: string
  readonly meta: Readonly<Record<string, string>>
}

// The exporter for AWS Lambda without an agent prints traces.
const SETTINGS = {
  DD_TRACE_EXPERIMENTAL_EXPORTER: 'log',
  DD_TRACE_STARTUP_LOGS: 'false',
  DD_REMOTE_CONFIGURATION_ENABLED: 'false',
}

describe('dd-trace with the subscribers of the guide', () => {
  it('names requests after their path template, and marks failed requests', async () => {
    const spans: Span[] = []
    const child = spawn(process.execPath, ['--import=tsx', '--import=./datadog.ts', 'main.ts'], {
      env: { ...process.env, ...SETTINGS, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const isOpen = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        const url = /^The app listens on (.+)$/.exec(line)?.[1]
        if (url !== undefined) resolve(url)
        if (line.startsWith('{"traces"')) spans.push(...JSON.parse(line).traces.flat())
      })
    })
    const url = await isOpen
    for (const id of [7, 1]) await (await fetch(`${url}/orders/${id}`)).text()
    await (await fetch(`${url}/none`)).text()
    child.kill('SIGTERM')
    await once(child, 'close')
    const requests = spans.filter(({ name }) => name === 'web.request')
    assert.deepEqual(
      requests.map(({ resource, meta }) => [resource, meta['http.route'], meta['error.message']]),
      [
        ['GET /orders/{id}', '/orders/{id}', undefined],
        ['GET /orders/{id}', '/orders/{id}', 'Order 1 is broken'],
        ['GET', undefined, undefined],
      ],
    )
  })
})
