/** The part of a record that says which request it was: its target, where it came from, what answered. */
import type { TrailFacts } from '../../observe/trail.js'
import type { Filling } from './blank-record.js'
import { copyOf } from '../../observe/copy-of.js'
import { beginOf, cut } from '../redact/cut.js'
import type { KnownEndpoint } from '../host/endpoints.js'
import type { Hider } from '../redact/hider.js'
import type { RecordedTrail } from './recorded-trail.js'
import type { ConsoleSettings } from '../host/console-settings.js'
import { REPLAY_HEADER } from '../wire/request-types.js'

/** Of a path, and of a query: more than a target may have, unless `limits.url` is raised. */
const LONGEST_TARGET = 8_192
const LONGEST_METHOD = 50
const LONGEST_HOST = 300
const LONGEST_AGENT = 500
const LONGEST_CLIENT = 100

/** What all records of a process have in common. */
export interface RecordScope {
  readonly boot: string
  readonly pid: number
  /** Folder that files are named from. */
  readonly root: string
  readonly hider: Hider
  readonly settings: ConsoleSettings
  /** Each at its number. */
  readonly endpoints: readonly KnownEndpoint[]
  /** Where versions are read from, and the version of requests that name none. */
  readonly versioning: { readonly place: string; readonly fallback: string }
}

/** A call that has ended. */
export interface Ended {
  readonly trail: RecordedTrail
  readonly facts: TrailFacts
  /** Its header fields; to ask for them makes them. */
  readonly headers: TrailFacts['headers']
  /** In ms. */
  readonly duration: number
  readonly endpoint: KnownEndpoint | null
}

/** Fills in the target of a request. */
export function fillTarget(record: Filling, { boot, pid, hider }: RecordScope, ended: Ended): void {
  const { trail, facts, headers, endpoint } = ended
  // What could not be read as a target has no path; it is shown as it was sent.
  const path = facts.path === '' ? trail.url.split('?', 1).join('') : facts.path
  record.id = trail.id
  record.boot = boot
  record.time = trail.time
  record['http.request.method'] = cut(trail.method, LONGEST_METHOD)
  record['url.path'] = cut(hider.path(path, facts.params, trail.template), LONGEST_TARGET)
  record['http.route'] = trail.template
  record['url.query'] = cut(hider.query(facts.query), LONGEST_TARGET)
  record['process.pid'] = pid
  record['dev.replayOf'] = replayOf(headers[REPLAY_HEADER])
  record.params = hider.params(facts.params)
  if (endpoint !== null) fillEndpoint(record, endpoint)
}

function fillEndpoint(record: Filling, { handler, at, decorators }: KnownEndpoint): void {
  record['code.function.name'] = handler
  record.decorators = decorators
  if (at === null) return
  record['code.file.path'] = at.file
  record['code.line.number'] = at.line
}

/** Fills in where a request came from. */
export function fillOrigin(record: Filling, hider: Hider, { facts, headers }: Ended): void {
  const { client, isSecure, traceId } = facts
  const agent = headers['user-agent']
  if (isSecure) record['url.scheme'] = 'https'
  record['server.address'] = hider.known(cut(headers['host'] ?? '', LONGEST_HOST))
  if (client !== '') record['client.address'] = cut(client, LONGEST_CLIENT)
  if (agent !== undefined) record['user_agent.original'] = hider.known(beginOf(agent, LONGEST_AGENT))
  if (traceId !== undefined) record['dev.traceId'] = copyOf(traceId)
}

function replayOf(id: string | undefined): string | null {
  return id !== undefined && /^r_[a-z0-9]{1,30}$/.test(id) ? id : null
}
