/** Health of the console: access to it, facts about the process, and the cost of recording. */
import type { ConsoleParts } from './console-parts.js'
import { span } from '../wire/span.js'
import { BOUNDS, MAX_BYTES } from '../store/record-store.js'
import { MAX_OF_GROUP } from '../wire/retention.js'
import type { Fact, Health, HealthCheck } from '../wire/view-types.js'

export function describeHealth(parts: ConsoleParts): Health {
  return {
    guards: checkGuards(parts),
    process: processFacts(parts),
    cost: costFacts(parts),
    options: optionFacts(parts),
  }
}

function checkGuards({ settings, host }: ConsoleParts): HealthCheck[] {
  const { allow = [], allowedHosts = [] } = host.options
  const { isShared, captureBodies } = settings
  const names = ['localhost', '*.localhost', '127.0.0.1', '[::1]', ...allowedHosts]
  const access = host.isGuarded ? 'Opened with a token' : 'Open to browsers on this machine'
  const bodies = 'Secrets are replaced before a body is stored'
  return [
    isShared
      ? { ok: false, title: 'Other machines may see it', detail: `Beside the loopback: ${allow.join(', ')}` }
      : { ok: true, title: 'Only this machine', detail: ALONE_NOTE },
    { ok: true, title: 'Known hosts only', detail: names.join(', ') },
    { ok: true, title: 'Same origin only', detail: 'By Origin and Sec-Fetch-Site; never with a CORS header' },
    {
      ok: true,
      title: access,
      detail: `Because ${host.reason}. Actions need a token of the page, which is new at each start`,
    },
    { ok: captureBodies !== 'raw', title: `Bodies: ${captureBodies}`, detail: bodies },
    checkHidden(host.secrets.replaced),
  ]
}

const ALONE_NOTE =
  'By the address of the socket. Requests of proxies are rejected, or need the token if trustProxy names the proxy'

function checkHidden(replaced: readonly string[]): HealthCheck {
  if (replaced.length === 0) return { ok: true, title: 'The default secrets are hidden', detail: 'By name and by form' }
  const detail = `Lists of your own stand in the place of the usual ${replaced.join(', ')} (redact.replaceDefaults)`
  return { ok: false, title: 'Some of the default secrets are not hidden', detail }
}

function processFacts({ scope, started, series }: ConsoleParts): Fact[] {
  const { heapUsed, rss } = process.memoryUsage()
  const use = series.latest(Date.now())?.loopUse ?? null
  const loop = use === null ? 'not measured yet' : `${Math.round(use * 100)}% of the last second`
  return [
    { name: 'Process id', value: String(scope.pid) },
    { name: 'Node', value: `${process.versions.node}, ${process.platform} ${process.arch}` },
    { name: 'Started', value: new Date(started).toString().slice(4, 33) },
    { name: 'Up for', value: span(Date.now() - started) },
    { name: 'Event loop in use', value: loop },
    { name: 'Memory', value: `${megabytes(heapUsed)} of heap, ${megabytes(rss)} in all` },
  ]
}

/** Approximate number of requests after which the recording code is compiled. */
const WARM_UP_COUNT = 100
const CAPTURED = 'captured: about 0.25 µs more at each await of the process (AsyncLocalStorage)'

const STORED_NOTE = `The newest ${BOUNDS.recent.count} are stored, and in addition ${MAX_OF_GROUP} failed ones, ${MAX_OF_GROUP} rejected ones, samples of problems, and pinned ones`

function costFacts({ recorder, store, feed, logs, settings }: ConsoleParts): Fact[] {
  const { cost } = recorder
  const { count, maxCount, bytes } = store.facts(recorder.total)
  return [
    { name: 'Recording a request', value: formatCost(cost) },
    { name: 'Stored requests', value: `${count} of ${maxCount}. ${STORED_NOTE}` },
    { name: 'Memory of requests', value: `${megabytes(bytes)} of ${megabytes(MAX_BYTES)}` },
    { name: 'Log lines', value: String(logs.items.length) },
    { name: 'Lines of console', value: settings.captureConsole ? CAPTURED : 'not captured' },
    { name: 'Watched by', value: feed.size === 1 ? '1 browser' : `${feed.size} browsers` },
  ]
}

/** Shows the median, because an average would mostly reflect the first requests, which run cold code. */
function formatCost({ count, median, longest }: ConsoleParts['recorder']['cost']): string {
  if (count === 0) return 'none was recorded yet'
  const middle = `median of the last ${count}: ${formatTime(median)}, longest: ${formatTime(longest)}`
  return count < WARM_UP_COUNT ? `${middle}. The first ones take longer: their code is cold` : middle
}

function formatTime(time: number): string {
  if (time >= 1) return `${time.toFixed(1)} ms`
  return `${(time * 1000).toFixed(time < 0.1 ? 1 : 0)} µs`
}

function optionFacts({ host, settings }: ConsoleParts): Fact[] {
  return [
    ...host.facts,
    { name: 'devConsole.slow', value: `${settings.slow} ms` },
    { name: 'devConsole.stall', value: `${settings.stall} ms` },
    { name: 'devConsole.captureBodies', value: settings.captureBodies },
    { name: 'devConsole.captureConsole', value: String(settings.captureConsole) },
    { name: 'devConsole.token', value: host.options.token === undefined ? 'none' : 'given', secret: true },
  ]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
