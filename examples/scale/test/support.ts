/** Helpers of the tests: requests to nginx or to one process, and load. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Agent, request, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A response with its body. */
export interface TextResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Options of a request. */
export interface SendOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
}

/** Sends a request to a URL, or to the socket of one process: `ask(socket, '/path')`. */
export async function ask(where: string, path: string, sent: SendOptions = {}): Promise<TextResponse> {
  const { method = sent.body === undefined ? 'GET' : 'POST', body, headers = {}, agent } = sent
  const address: RequestOptions = where.startsWith('/') ? { socketPath: where } : urlOptions(where)
  const content = body === undefined ? undefined : JSON.stringify(body)
  const length = content === undefined ? {} : { 'content-length': Buffer.byteLength(content) }
  const type = content === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const options = { ...address, path, method, headers: { ...length, ...type, ...headers }, agent: agent ?? false }
    const asked = request(options, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }),
        reject,
      )
    })
    asked.once('error', reject).end(content)
  })
}

function urlOptions(url: string): RequestOptions {
  const { hostname, port } = new URL(url)
  return { host: hostname, port }
}

/** Creates an agent that reuses one connection. */
export function createKeepAliveAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

/** Result of `wrk`. */
export interface WrkResult {
  readonly requests: number
  /** Lines about socket errors, and about responses other than 2xx and 3xx. */
  readonly lost: readonly string[]
}

/** Sends load to a URL with `wrk` until it is stopped. */
export function load(url: string, connections: number): { stop(): Promise<WrkResult> } {
  const child = spawn(findWrk(), ['-t1', `-c${connections}`, '-d120s', '--timeout', '10s', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = text(child.stdout)
  return {
    async stop() {
      child.kill('SIGINT')
      const report = await said
      const [, requests] = /(\d+) requests in/.exec(report) ?? []
      assert.ok(requests !== undefined, report)
      return { requests: Number(requests), lost: report.match(/^.*(?:Socket errors|Non-2xx).*$/gm) ?? [] }
    },
  }
}

function findWrk(): string {
  const known = process.env['WRK_BIN'] ?? '/usr/bin/wrk'
  if (existsSync(known)) return known
  throw new Error(`Cannot find wrk: there is no ${known}. Install it: apt-get install wrk. Or name it: WRK_BIN`)
}

/** Waits until a condition is true; fails after 30 s. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `It did not come to be: ${what}`)
    await sleep(20)
  }
}
