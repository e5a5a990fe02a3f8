/**
 * Taint test: puts a mark in every place that can contain a credential, and runs an app that copies the marks everywhere. Collects the
 * output of the console, the log and the responses.
 */
import { apiKey, createApp, form, optional, Route, type Input, type Logger } from 'verbena'
import { log } from 'verbena/decorators'
import * as z from 'zod'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { jsonLogger, terminalLogger } from '#src/observe/loggers.js'
import { createLogger } from '#src/observe/logger.js'
import { actionToken, post, read, waitForSnapshot } from '#test/console.js'

/** A part of a request that contains a mark. */
export interface Place {
  readonly place: string
  /** Strings that no output may contain. */
  readonly marks: readonly string[]
  readonly path?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as a form, any other value as JSON. */
  readonly body?: unknown
  /** The value that the app copies; omitted if the secret is only recognizable in its original context. */
  readonly spread?: unknown
  /** Whether it is copied only in plain form, not percent-encoded. */
  readonly isPlain?: boolean
  /** Additional code that the app runs. */
  readonly act?: (vault: Vault, logger: Logger) => void
}

/** A service. Only some parameter names reveal that the value is secret. */
export class Vault {
  take(...values: unknown[]): number {
    return values.length
  }

  fail(value: unknown): never {
    throw new Error(`No room for ${String(value)}`)
  }

  login(email: string, password: string): number {
    return email.length + password.length
  }

  send(address: string, { subject }: { subject: string }, resetToken = ''): number {
    return address.length + subject.length + resetToken.length
  }
}

/** The place of the current request; requests run one at a time. */
let current: Place | null = null

/** Copies a mark to every output that application code can write to. */
function spread({ spread: value, act, isPlain = false }: Place, vault: Vault, logger: Logger): void {
  act?.(vault, logger)
  if (value === undefined) return
  const text = String(value)
  const encoded = isPlain ? text : encodeURIComponent(text)
  vault.take('ann', value)
  vault.take({ note: value, deep: [[value]] }, text, `text ${text}`)
  vault.take(`https://api.example.com/items?next=${encoded}&a=1`, JSON.stringify({ note: text }))
  try {
    vault.fail(value)
  } catch {
    // The console's record contains the error.
  }
  logger.info({ own: true, note: value, list: [{ value }] }, `It was ${text}, once ${encoded}`)
}

function outcome({ spread: value }: Place, mode: string | undefined): object {
  const text = String(value ?? 'nothing')
  if (mode === 'throw') {
    const cause = new AggregateError([new Error(`inner ${text}`)], `cause ${text}`)
    throw new TypeError(`Cannot use ${text}`, { cause })
  }
  return { note: value ?? null, list: [text], text: `It is ${text}` }
}

const uses = {
  partner: optional(apiKey({ in: 'header', name: 'X-Partner' }, (key) => ({ key }))),
  club: optional(apiKey({ in: 'query', name: 'club' }, (key) => ({ key }))),
  badge: optional(apiKey({ in: 'cookie', name: 'badge' }, (key) => ({ key }))),
}
const query = z.looseObject({ limit: z.int().optional() })
const headers = z.looseObject({ 'x-mode': z.string().optional() })

class Taints extends Route<{ vault: Vault }> {
  static readonly path = '/taint/{token}/{item}'
  static readonly post = this.contract({ uses, query, headers, body: z.looseObject({ size: z.int().optional() }) })

  @log({ args: true, result: true })
  async post({ headers: sent, log: logger }: Input<typeof Taints.post>) {
    if (current === null) return {}
    spread(current, this.vault, logger)
    return outcome(current, sent['x-mode'])
  }
}

class Forms extends Route<{ vault: Vault }> {
  static readonly path = '/forms'
  static readonly post = this.contract({ query, headers, body: form(z.looseObject({})) })

  @log({ args: true, result: true })
  async post({ headers: sent, log: logger }: Input<typeof Forms.post>) {
    if (current === null) return {}
    spread(current, this.vault, logger)
    return outcome(current, sent['x-mode'])
  }
}

/** Collected outputs by name. */
export type Outputs = ReadonlyMap<string, string>

/** Returns the strings that the page copies to the clipboard, by name. Page modules are not part of the build, so tests pass them in. */
export type CopiesOf = (records: readonly RequestRecord[], url: string) => [string, string][]

/** Sends each place three times, to get a response, a thrown error and a rejection. Then collects all outputs. */
export async function spreadMarks(places: readonly Place[], copiesOf: CopiesOf): Promise<Outputs> {
  const lines: string[] = []
  const terminal: string[] = []
  const writers = [jsonLogger((text) => void lines.push(text)), terminalLogger((text) => void terminal.push(text))]
  // Lines of application code are skipped: the console redacts them, but the log does not.
  const logger = createLogger((level, fields, message) => {
    if (!('own' in fields)) for (const writer of writers) writer[level](fields, message)
  })
  const devConsole = { slow: 10_000 }
  const app = createApp({ routes: { Taints, Forms }, services: { vault: new Vault() }, logger, devConsole })
  const { url } = await app.listen()
  try {
    const feed = await openBytes(url)
    const answers: string[] = []
    for (const place of places) {
      current = place
      for (const mode of ['answer', 'throw', 'refuse']) answers.push(await ask(url, place, mode))
    }
    current = null
    const outputs = new Map(await consoleOutputs(url, places.length * 3, copiesOf))
    await post(`${url}/taint/none/last`, {})
    const last = await waitForSnapshot(url, Math.min(500, places.length * 3 + 1))
    outputs.set('the live feed', await feed.until(`"${last.requests[0]?.id}"`))
    outputs.set('lines of JSON', lines.join(''))
    outputs.set('lines of a terminal', terminal.join(''))
    return outputs.set('error answers', answers.join('\n'))
  } finally {
    await app.close()
  }
}

async function ask(url: string, place: Place, mode: string): Promise<string> {
  const isForm = typeof place.body === 'string'
  const path = place.path ?? (isForm ? '/forms' : '/taint/none/item')
  const parts = [place.query ?? '', mode === 'refuse' ? 'limit=x' : ''].filter((part) => part !== '')
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const response = await fetch(`${url}${path}?${parts.join('&')}`, {
    method: 'POST',
    headers: { 'x-mode': mode, ...place.headers, 'content-type': type },
    body: isForm ? String(place.body) : JSON.stringify(place.body ?? {}),
  })
  const expected = { answer: 200, throw: 500, refuse: 422 }[mode]
  if (response.status !== expected) throw new Error(`${place.place}, ${mode}: ${response.status}`)
  const text = `${JSON.stringify([...response.headers])} ${await response.text()}`
  return mode === 'answer' ? '' : text
}

async function consoleOutputs(url: string, count: number, copiesOf: CopiesOf): Promise<[string, string][]> {
  const base = `${url}/__dev__`
  const snapshot: Snapshot = await waitForSnapshot(url, Math.min(500, count))
  const textOf = async (path: string): Promise<string> => (await fetch(base + path)).text()
  const records: RequestRecord[] = []
  const pages: string[] = []
  for (const { id } of snapshot.requests) {
    records.push(await read<RequestRecord>(`${base}/api/requests/${id}`))
    pages.push(await textOf(`/requests/${id}`))
  }
  return [
    ['the snapshot', JSON.stringify(snapshot)],
    ['the store', JSON.stringify(records)],
    ['HAR', await textOf('/api/har')],
    ...copiesOf(records, url),
    ['the page without scripts', `${await textOf('/requests')}${pages.join('')}`],
    ['older requests', await textOf('/api/requests?limit=500')],
    ['metrics', await textOf('/api/metrics')],
    ['health', await textOf('/api/health')],
  ]
}

interface FeedBytes {
  /** Waits until the stream contains a string, and returns all bytes so far. */
  until(wanted: string): Promise<string>
}

async function openBytes(url: string): Promise<FeedBytes> {
  const response = await fetch(`${url}/__dev__/events`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let bytes = ''
  const until = async (wanted: string): Promise<string> => {
    while (!bytes.includes(wanted)) bytes += (await reader?.read())?.value ?? ''
    return bytes
  }
  await until('"stream":"')
  const stream = /"stream":"([^"]+)"/.exec(bytes)?.[1]
  await post(
    `${url}/__dev__/api/settings`,
    { stream, want: ['log', 'open'] },
    { 'x-dev-token': await actionToken(url) },
  )
  return { until }
}
