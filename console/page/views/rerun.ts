/** Replays the failing requests of the last run in sequence. */
import { SAFE_METHODS, type RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { dialogContent, openDialog } from '../dom/dialog.js'
import { h } from '../dom/h.js'
import { toast } from '../dom/notice.js'
import { textButton } from '../dom/parts.js'
import { sendTry, type TryResponse } from '../live/send.js'
import { formatCount } from '../pure/format.js'
import { toSendable } from '../pure/messages.js'
import { whyNotReplayable, SENDING } from './actions.js'
import { hasCredentials } from './ask-credentials.js'
import type { ViewContext } from './context.js'

/** Maximum time of a request, so that a request without a response does not block the next ones. */
const TIMEOUT_MS = 30_000
const MAX_LISTED = 6

export interface Rerun {
  readonly before: RequestSummary
  /** `null` without a response. */
  readonly response: TryResponse | null
  /** Why the request has no response; otherwise empty. */
  readonly note: string
}

interface RerunState {
  readonly isRunning: boolean
  readonly reruns: readonly Rerun[]
}

/** The results last as long as the page, so that they are still listed after another view was open. */
let current: RerunState = { isRunning: false, reruns: [] }

export function readReruns(): RerunState {
  return current
}

export async function rerunAll(context: ViewContext, requests: readonly RequestSummary[]): Promise<void> {
  if (current.isRunning) return
  const chosen = await chooseRequests(requests)
  if (chosen.length === 0) return
  const show = (next: RerunState) => {
    current = next
    context.store.touch()
  }
  show({ isRunning: true, reruns: [] })
  for (const before of chosen) {
    const rerun = await rerunOne(context, before)
    if (rerun === null) break
    show({ isRunning: true, reruns: [...current.reruns, rerun] })
  }
  show({ ...current, isRunning: false })
  toast(`Replayed ${formatCount(current.reruns.filter(({ response }) => response !== null).length, 'request')}`)
}

/** Returns `null` if the user canceled the dialog for credentials. */
async function rerunOne(context: ViewContext, before: RequestSummary): Promise<Rerun | null> {
  try {
    const record = await context.shelf.load(before.id)
    const missing = whyNotReplayable(record)
    if (missing !== null) return { before, response: null, note: missing }
    if (!(await hasCredentials(record))) return null
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await sendTry(toSendable(record, location.origin), before.id, signal)
    return { before, response, note: '' }
  } catch (error) {
    return { before, response: null, note: error instanceof Error ? error.message : String(error) }
  }
}

/** Asks the user before requests with side effects are sent. Resolves with the requests to send. */
function chooseRequests(requests: readonly RequestSummary[]): Promise<readonly RequestSummary[]> {
  const safe = requests.filter(isSafe)
  const unsafe = requests.filter((request) => !isSafe(request))
  if (unsafe.length === 0) return Promise.resolve(requests)
  return new Promise((resolve) => {
    const close = (value: string) => () => dialog.close(value)
    const targets = unsafe.map((request) => `${request['http.request.method']} ${request['url.path']}`)
    const listed = [...new Set(targets)].slice(0, MAX_LISTED).map((target) => h('li', { class: 'mono' }, target))
    const only = safe.length === 0 ? null : textButton(`Only the ${safe.length} that read`, close('safe'))
    const inside = dialogContent(
      `${formatCount(unsafe.length, 'request')} can change data`,
      [h('ul', null, listed), h('p', null, SENDING)],
      textButton(`Send all ${requests.length}`, close('all'), 'btn primary'),
      only,
      textButton('Cancel', close('')),
    )
    const dialog = openDialog('Replay requests', '', inside)
    dialog.addEventListener('close', () => {
      if (dialog.returnValue === 'all') resolve(requests)
      else resolve(dialog.returnValue === 'safe' ? safe : [])
    })
  })
}

function isSafe(request: RequestSummary): boolean {
  const method = request['http.request.method']
  return method !== 'OPTIONS' && SAFE_METHODS.has(method)
}
