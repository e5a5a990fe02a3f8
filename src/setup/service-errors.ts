/** Errors that services emit without a listener, such as the loss of an idle connection. Node would end the process for each of them. */
import { tryLog, type Logger } from '../observe/logger.js'
import type { ServiceValues } from '../injection/services.js'
import { isObjectOrFunction } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'

interface Emitter {
  on(event: 'error', listener: (err: unknown) => void): unknown
  listenerCount(event: 'error'): unknown
}

type ReportError = (err: unknown) => void

/** A service is logged at most once in this time, in ms. */
const INTERVAL = 1_000
const LOST = 'Service emitted an error without a listener'

/** Emitters with a listener of this file. Several apps may have the same service: the last one that started logs it. */
const reports = new WeakMap<object, ReportError>()

/** Adds a listener to each service without one. It logs errors until the app adds another listener. */
export function listenForErrors(services: ServiceValues, logger: Logger): void {
  for (const [name, value] of Object.entries(services)) {
    const emitter = toEmitter(value)
    if (emitter === null) continue
    const report = createErrorReporter(logger, name)
    if (reports.has(emitter)) reports.set(emitter, report)
    else if (countListeners(emitter) === 0) valueOr(() => addListener(emitter, report), undefined)
  }
}

function addListener(emitter: Emitter, report: ReportError): void {
  emitter.on('error', (err) => {
    if (countListeners(emitter) === 1) reports.get(emitter)?.(err)
  })
  reports.set(emitter, report)
}

/** Whether a service has no listener yet. */
export function hasSilentService(services: ServiceValues): boolean {
  return Object.values(services).some((value) => {
    const emitter = toEmitter(value)
    return emitter !== null && !reports.has(emitter) && countListeners(emitter) === 0
  })
}

/** Whether a service has only the listener of this file. */
export function isWithoutListener(service: unknown): boolean {
  const emitter = toEmitter(service)
  return emitter !== null && reports.has(emitter) && countListeners(emitter) === 1
}

function countListeners(emitter: Emitter): unknown {
  return valueOr(() => emitter.listenerCount('error'), undefined)
}

/** `in` keeps away from clients that answer to any name, and send a request for it. An `EventTarget` never throws. */
function toEmitter(value: unknown): Emitter | null {
  return valueOr(() => {
    const isProcess = Object.is(value, process)
    if (!isObjectOrFunction(value) || isProcess || value instanceof EventTarget) return null
    if (!('on' in value) || !('listenerCount' in value)) return null
    if (typeof value['on'] !== 'function' || typeof value['listenerCount'] !== 'function') return null
    // Proof: both are functions. Their results are not trusted.
    return value as unknown as Emitter
  }, null)
}

function createErrorReporter(logger: Logger, service: string): ReportError {
  let lastTime = Number.NEGATIVE_INFINITY
  return (err) => {
    const now = performance.now()
    if (now - lastTime < INTERVAL) return
    lastTime = now
    tryLog(logger, 'error', { service, err }, LOST)
  }
}
