/** Read-only endpoints of the console. Guard and session have already allowed the request. */
import {
  consoleProblem,
  jsonResponse,
  pageResponse,
  rejectionResponse,
  scriptResponse,
  type ConsoleResponse,
} from './responses.js'
import { findCallOuts } from '../store/detectors.js'
import type { ConsoleParts } from './console-parts.js'
import { buildFormDocument } from './form-document.js'
import { BASE } from '../host/console-state.js'
import type { HostEndpoint } from '../host/console-host.js'
import { collectFrames } from '../host/stack.js'
import { parseFilter } from '../wire/filter.js'
import { toHar } from './har.js'
import { describeHealth } from './health.js'
import { objectOrEmpty } from '../wire/json-schema.js'
import { detailPage, listPage, messagePage, PLAIN_HASHES, renderPage } from './pages.js'
import { PAGE_SCRIPT, SCRIPT_HASHES, STYLE_HASH, VIEWS_SCRIPT } from './page.generated.js'
import { readSource } from './source.js'
import type { StoredRecord } from '../store/record-store.js'
import { STATUS_TITLES } from '../../errors/status.js'
import type { Snapshot } from '../wire/feed-types.js'
import type { RunFileSource } from '../store/run-file.js'
import { WIRE_VERSION, type RequestRecord } from '../wire/request-types.js'
import type { About, AboutPart, RouteList, ShownRecord } from '../wire/view-types.js'

interface ApiRequest {
  readonly parts: ConsoleParts
  /** Last segment of the path if it is an id, otherwise empty. */
  readonly id: string
  readonly query: ReadonlyMap<string, string>
}

type Reader = (request: ApiRequest) => ConsoleResponse | Promise<ConsoleResponse>
const MAX_PAGE = 1_000
/** Handlers by path below the path of the console; `:id` matches one segment. */
export const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['', readPage],
  ['/', () => rejectionResponse(308, `It is at ${BASE}`, [['location', BASE]])],
  ['/page.js', () => scriptResponse(PAGE_SCRIPT)],
  ['/views.js', () => scriptResponse(VIEWS_SCRIPT)],
  ['/requests', plainRequestList],
  ['/requests/:id', noScriptDetail],
  ['/api/snapshot', ({ parts }) => jsonResponse(takeSnapshot(parts))],
  ['/api/requests', findOlder],
  ['/api/requests/:id', readDetail],
  ['/api/metrics', ({ parts }) => jsonResponse(parts.series.metrics(Date.now()))],
  ['/api/calls', ({ parts }) => jsonResponse(parts.callFigures.read())],
  ['/api/routes', ({ parts }) => jsonResponse(listRoutes(parts.scope.endpoints, parts.host.openapiPath))],
  ['/api/openapi', ({ parts }) => jsonResponse(buildFormDocument(objectOrEmpty(parts.host.openapi())))],
  ['/api/health', ({ parts }) => jsonResponse(describeHealth(parts))],
  ['/api/har', buildArchive],
  ['/api/source', source],
])

export const DOCUMENTS: ReadonlySet<string> = new Set(['', '/', '/requests', '/requests/:id'])

function readPage({ parts }: ApiRequest): ConsoleResponse {
  const { host, tokens, scope } = parts
  const facts = { token: tokens.action, name: host.name, version: host.version, boot: scope.boot }
  return pageResponse(renderPage(facts), { scripts: SCRIPT_HASHES, style: STYLE_HASH })
}

const MAX_LINES = 500

/** Returns the initial data of a page. */
export function takeSnapshot(parts: ConsoleParts): Snapshot {
  const { host, scope, store, logs, series, incidents, recorder, feed, crossRequestDetector, started, runFile } = parts
  const { slow, stall, editor } = parts.settings
  const { name, version, openapiPath, versioning } = host
  const platform = `${process.platform} ${process.arch}`
  const lines = logs.items.slice(-MAX_LINES).toReversed()
  const now = Date.now()
  // The detector returns each incident only once, so it is also sent to open pages.
  for (const incident of crossRequestDetector.look()) feed.incident(incident)
  return {
    v: WIRE_VERSION,
    boot: scope.boot,
    seq: store.seq,
    now,
    app: { name, version, node: process.versions.node, platform, root: scope.root },
    processes: [{ pid: scope.pid, started }],
    settings: { slow, stall, editor, openapi: openapiPath, versionHeader: versioning.header },
    titles: Object.fromEntries(STATUS_TITLES),
    buffer: store.facts(recorder.total, recorder.skipped),
    requests: [...store.all, ...store.earlier].map((recorded) => store.summary(recorded)),
    metrics: series.metrics(now),
    problems: incidents.list(now),
    earlier: runFile?.runs ?? [],
    logs: lines.map(({ line }) => line),
  }
}

function plainRequestList({ parts }: ApiRequest): ConsoleResponse {
  const { store, host } = parts
  const summaries = store.all.map((recorded) => store.summary(recorded))
  return pageResponse(listPage(host.name, summaries), PLAIN_HASHES)
}

function noScriptDetail({ parts, id }: ApiRequest): ConsoleResponse {
  const recorded = parts.store.find(id)
  if (recorded === undefined) return pageResponse(messagePage(GONE), PLAIN_HASHES, 404)
  return pageResponse(detailPage(completeRecord(parts, recorded), parts.settings.slow), PLAIN_HASHES)
}

const GONE = 'This request is not kept any more'

/** Adds data that arrived after recording: the pin, and log lines of work after the response. */
function completeRecord({ store, logs }: ConsoleParts, recorded: StoredRecord): RequestRecord {
  const { record } = recorded
  const recordedLines = new Set(record.logs.map(({ seq }) => seq))
  const laterLines = logs.of(record.id).filter(({ seq }) => !recordedLines.has(seq))
  return { ...record, ...store.summary(recorded), logs: [...record.logs, ...laterLines] }
}

async function readDetail({ parts, id }: ApiRequest): Promise<ConsoleResponse> {
  const recorded = parts.store.find(id)
  if (recorded === undefined) return consoleProblem(404, GONE)
  // The source of an earlier process can have changed, so it was stored with the error.
  if (parts.store.isEarlier(recorded)) return jsonResponse(recorded.record)
  return jsonResponse(await addSource(parts, showRecord(parts, recorded)))
}

function showRecord(parts: ConsoleParts, recorded: StoredRecord): ShownRecord {
  const record = completeRecord(parts, recorded)
  return { ...record, callOuts: findCallOuts(record, parts.settings.slow), about: aboutRequest(record) }
}

async function addSource({ scope }: ConsoleParts, record: ShownRecord): Promise<ShownRecord> {
  const { error } = record
  const frame = error?.frames.find(({ kind }) => kind === 'app')
  if (error === null || frame === undefined) return record
  return { ...record, error: { ...error, source: await readSource(frame, scope.root, scope.hider) } }
}

/** Returns the data of the console that the file of `devConsole.keep` contains. */
export function runFileSource(parts: ConsoleParts): RunFileSource {
  const { scope, store, series, incidents, started } = parts
  return {
    run: () => ({ boot: scope.boot, started, incidents: incidents.list(Date.now()), endpoints: series.medians() }),
    records: () => store.notable,
    show: (recorded) => showRecord(parts, recorded),
    addSource: (record) => addSource(parts, record),
    isPinned: (recorded) => store.summary(recorded)['dev.pinned'],
  }
}

/** Describes a request: its template, handler, parameters, decorators, version, client, request id, trace and process. */
export function aboutRequest(record: RequestRecord): About[] {
  const client = [record['client.address'], record['user_agent.original']].filter((part) => part !== null)
  const trace = record['dev.traceId']
  const requestId = record['dev.requestId']
  return [
    ['Template', [codeOr(record['http.route'], 'none matched')]],
    ['Handler', aboutHandler(record)],
    ['Parameters', [codeOr(Object.keys(record.params).length === 0 ? null : JSON.stringify(record.params), 'none')]],
    ['Decorators', [codeOr(record.decorators.join(', ') || null, 'none')]],
    ['Version', aboutVersion(record)],
    ...(client.length === 0 ? [] : [['Client', [{ code: client.join(', ') }]] as const]),
    ...(requestId === null ? [] : [['Request id', [{ code: requestId }]] as const]),
    ...(trace === null ? [] : [['Trace', [{ code: trace }]] as const]),
    ['Process', [{ code: String(record['process.pid']) }]],
  ]
}

function codeOr(code: string | null, fallback: string): AboutPart {
  return code === null ? { dim: fallback } : { code }
}

function aboutHandler(record: RequestRecord): AboutPart[] {
  const file = record['code.file.path']
  const line = record['code.line.number']
  const name = codeOr(record['code.function.name'], 'none')
  return file === null || line === null ? [name] : [name, ' in ', { place: { file, line } }]
}

function aboutVersion({ version }: RequestRecord): AboutPart[] {
  if (version === null) return [{ dim: 'not versioned' }]
  const { ok, isDefault, constraint, from } = version
  const requested = version.asked ?? 'no version'
  const result = ok ? ', satisfies ' : ', does not satisfy '
  const parts = isDefault ? [`default ${requested}`] : [`requested ${requested} by `, { code: from }]
  return [...parts, result, { code: constraint }]
}

const NO_DOCUMENT = 'The OpenAPI document is not served: it is disabled, or a route has its path.'

export function listRoutes(endpoints: readonly HostEndpoint[], openapiPath: string | null): RouteList {
  const routes = endpoints.map(({ vendor: _, ...route }) => route)
  return { routes, warnings: openapiPath === null ? [NO_DOCUMENT] : [] }
}

function findOlder({ parts, query }: ApiRequest): ConsoleResponse {
  const before = readNumber(query, 'before', Number.POSITIVE_INFINITY)
  const limit = Math.min(MAX_PAGE, readNumber(query, 'limit', 100))
  const isFirst = before === Number.POSITIVE_INFINITY
  const matches = findMatching(parts, query).filter((recorded) => {
    // Sequence numbers of different processes cannot be compared.
    return isFirst || (recorded.record.seq < before && !parts.store.isEarlier(recorded))
  })
  const items = matches.slice(0, limit).map((recorded) => parts.store.summary(recorded))
  return jsonResponse({ items, more: matches.length > items.length })
}

function readNumber(query: ApiRequest['query'], name: string, fallback: number): number {
  const text = query.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : fallback
}

function findMatching({ store }: ConsoleParts, query: ApiRequest['query']): StoredRecord[] {
  // Times of day are in the time zone of the browser.
  const zone = Number(query.get('zone') ?? NaN)
  const filter = parseFilter(query.get('q') ?? '', Date.now(), Number.isNaN(zone) ? undefined : zone)
  return [...store.all, ...store.earlier].filter((recorded) => {
    return filter.matchesRecord(store.summary(recorded), recorded.record)
  })
}

function buildArchive({ parts, query }: ApiRequest): ConsoleResponse {
  const records = findMatching(parts, query).map(({ record }) => record)
  const { name, version } = parts.host
  const archive = jsonResponse(toHar(records, { name, version }))
  return { ...archive, headers: [['content-disposition', 'attachment; filename="requests.har"']] }
}

async function source({ parts, query }: ApiRequest): Promise<ConsoleResponse> {
  const [, id = '', number = ''] = /^(r_\w+)\.(\d+)$/.exec(query.get('frame') ?? '') ?? []
  const error = parts.store.find(id)?.record.error ?? null
  const frame = error === null ? undefined : collectFrames(error).find(({ n }) => String(n) === number)
  const { root, hider } = parts.scope
  const excerpt = frame === undefined ? null : await readSource(frame, root, hider)
  return excerpt === null ? consoleProblem(404, 'There is no source at this frame') : jsonResponse(excerpt)
}

/** Returns the path with `:id` in place of an id, and the id; the id is empty if the path has no id. */
export function splitAddress(
  path: string,
  known: ReadonlyMap<string, unknown>,
): readonly [address: string, id: string] {
  const end = path.lastIndexOf('/')
  const address = `${path.slice(0, end)}/:id`
  const hasId = !known.has(path) && end > 0 && known.has(address)
  return hasId ? [address, path.slice(end + 1)] : [path, '']
}

export const NO_CONTENT: ConsoleResponse = rejectionResponse(404, 'The console has nothing at this address')
