/** The console's own health: who can see it, what the process is, what it costs. */
import type { ConsoleParts } from './console.js'
import { BOUNDS, MOST_BYTES } from './store.js'
import type { Fact, Health, HealthCheck } from './wire-views-types.js'

/**
 * Describes the console.
 *
 * @param parts of it
 * @returns guards, process, cost and options
 */
export function describeHealth(parts: ConsoleParts): Health {
  return { guards: guardsOf(parts), process: processOf(parts), cost: costOf(parts), options: optionsOf(parts) }
}

function guardsOf({ settings, tokens, host }: ConsoleParts): HealthCheck[] {
  const { allow = [], allowedHosts = [] } = host.options
  const names = ['localhost', '*.localhost', '127.0.0.1', '[::1]', ...allowedHosts]
  return [
    {
      ok: !settings.isShared,
      title: settings.isShared ? 'Other machines may see it' : 'Only this machine',
      detail: settings.isShared
        ? `Beside the loopback: ${allow.join(', ')}`
        : 'By the address of the socket; what a proxy forwards is refused',
    },
    { ok: true, title: 'Known hosts only', detail: names.join(', ') },
    { ok: true, title: 'Same origin only', detail: 'By Origin and Sec-Fetch-Site; no CORS header is ever sent' },
    {
      ok: true,
      title: tokens.entry === null ? 'Open to everybody on this machine' : 'Opened with a token',
      detail: 'Actions carry a token of the page, new at each start',
    },
    {
      ok: settings.captureBodies !== 'raw',
      title: `Bodies: ${settings.captureBodies}`,
      detail: 'Secrets are replaced before anything is kept',
    },
    hiddenOf(host.secrets.replaced),
  ]
}

function hiddenOf(replaced: readonly string[]): HealthCheck {
  if (replaced.length === 0) return { ok: true, title: 'The usual secrets are hidden', detail: 'By name and by form' }
  const detail = `Lists of your own stand in the place of the usual ${replaced.join(', ')} (redact.replaceDefaults)`
  return { ok: false, title: 'Not all of the usual secrets are hidden', detail }
}

function processOf({ scope, started }: ConsoleParts): Fact[] {
  const { heapUsed, rss } = process.memoryUsage()
  return [
    { name: 'pid', value: String(scope.pid) },
    { name: 'node', value: process.versions.node },
    { name: 'platform', value: `${process.platform} ${process.arch}` },
    { name: 'up for', value: `${Math.round((Date.now() - started) / 1000)} s` },
    { name: 'heap', value: megabytes(heapUsed) },
    { name: 'rss', value: megabytes(rss) },
  ]
}

const CAPTURED = 'captured: about 0.25 µs more at each await of the process (AsyncLocalStorage)'

function costOf({ recorder, store, feed, logs, settings }: ConsoleParts): Fact[] {
  const { total, spent } = recorder
  const { count, bytes } = store.facts(total)
  const each = total === 0 ? 0 : (spent * 1000) / total
  return [
    { name: 'time a request', value: `${each.toFixed(1)} µs, recording alone` },
    { name: 'records', value: `${count}, the newest ${BOUNDS.recent.most}` },
    { name: 'memory of records', value: `${megabytes(bytes)} of ${megabytes(MOST_BYTES)}` },
    { name: 'lines', value: String(logs.items.length) },
    { name: 'lines of console', value: settings.captureConsole ? CAPTURED : 'not captured' },
    { name: 'readers', value: String(feed.size) },
  ]
}

function optionsOf({ host, settings }: ConsoleParts): Fact[] {
  const token = { name: 'devConsole.token', value: host.options.token === undefined ? 'none' : 'given', secret: true }
  return [
    ...host.facts,
    { name: 'devConsole.slow', value: `${settings.slow} ms` },
    { name: 'devConsole.stall', value: `${settings.stall} ms` },
    { name: 'devConsole.captureBodies', value: settings.captureBodies },
    { name: 'devConsole.captureConsole', value: String(settings.captureConsole) },
    token,
  ]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
