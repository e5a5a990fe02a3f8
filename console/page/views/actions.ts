/** Actions on requests: replay, edit, copy, pin, clear. */
import {
  containsSecret,
  SAFE_METHODS,
  type RequestRecord,
  type RequestSummary,
} from '../../../src/devconsole/wire/request-types.js'
import { askConfirmation } from '../dom/dialog.js'
import { copyText, toast } from '../dom/notice.js'
import { statusHint } from '../dom/titles.js'
import { api } from '../live/api.js'
import { sendTry } from '../live/send.js'
import { formatAddress } from '../pure/address.js'
import { ms } from '../pure/format.js'
import { toSendable, toCurl, toFetch, toHttp } from '../pure/messages.js'
import { applyEvent } from '../pure/reduce.js'
import { isOfFile } from '../pure/runs.js'
import { hasCredentials, forgetCredentials } from './ask-credentials.js'
import type { ViewContext } from './context.js'

/** Note beside each button that sends a request. */
export const SENDING = 'Your browser sends the request with its own Cookie, User-Agent and Host. The app executes it.'

/** Whether the user has confirmed in this tab that side effects can happen again. */
let isConfirmed = false

/** Asks the user once per tab before a request with side effects is sent. */
export async function confirmSend(method: string): Promise<boolean> {
  if (isConfirmed || SAFE_METHODS.has(method)) return true
  const note = `${SENDING} This is asked once in this tab.`
  isConfirmed = await askConfirmation(`Send this ${method} again?`, note, 'Send')
  return isConfirmed
}

/** Sends a recorded request again, and reports the status or the error in a note. */
export async function replay(context: ViewContext, summary: RequestSummary): Promise<void> {
  if (!(await confirmSend(summary['http.request.method']))) return
  try {
    const record = await context.shelf.load(summary.id)
    const missing = whyNotReplayable(record)
    if (missing !== null) {
      toast(`${missing}: use Edit and resend`)
      return
    }
    if (!(await hasCredentials(record))) return
    const response = await sendTry(toSendable(record, location.origin), summary.id)
    const note = response.status === 401 && forgetCredentials(record) ? '. Replay again to enter other credentials' : ''
    toast(`Replayed: ${response.status === 0 ? 'redirected' : response.status} in ${ms(response.duration)}${note}`)
  } catch (error) {
    toast(`Not replayed: ${errorReason(error)}`)
  }
}

/** Returns why body or path cannot be sent again; `null` if they can. */
export function whyNotReplayable({ params, request: { body }, 'url.path': path }: RequestRecord): string | null {
  if (body !== null && (body.truncated || body.text === null)) return 'Its body was not kept whole'
  // Instead of a path with a secret, the console stores its template.
  const hasSecret = [path, ...Object.values(params)].some(containsSecret)
  if (!hasSecret && !containsSecret(body?.text ?? '')) return null
  return `Its ${hasSecret ? 'path' : 'body'} contains secrets, which were not kept`
}

/** Opens a recorded request in the form of its endpoint, or beside its record if the app has no such endpoint or it is from a file. */
export async function edit(context: ViewContext, summary: RequestSummary): Promise<void> {
  const id = summary['code.function.name']
  const loaded = await context.shelf.newRoutes()
  const isGone = loaded.kind === 'ready' && loaded.value.routes.every((route) => route.id !== id)
  if (id === null || isGone || isOfFile(summary)) {
    context.go({ ...context.address(), view: 'requests', id: summary.id, tab: 'edit' })
    return
  }
  try {
    context.draft = await context.shelf.load(summary.id)
    context.go({ view: 'routes', id })
  } catch (error) {
    toast(`Cannot be edited: ${errorReason(error)}`)
  }
}

/** Forms in which a request is copied. */
export const COPIES = ['cURL', 'fetch', 'HTTP message', 'JSON record', 'link'] as const

type CopyForm = (typeof COPIES)[number]

export async function copy(context: ViewContext, summary: RequestSummary, form: CopyForm): Promise<void> {
  try {
    if (form === 'link') await copyLink(context, summary)
    else await copyText(formatCopy(await context.shelf.load(summary.id), form), `as ${form}`)
  } catch (error) {
    toast(`Not copied: ${errorReason(error)}`)
  }
}

/** Also pins the request, so that it is still stored when the link is opened. */
async function copyLink(context: ViewContext, summary: RequestSummary): Promise<void> {
  const failure = await pin(context, summary, true)
  const url = `${location.origin}${location.pathname}${formatAddress({ id: summary.id })}`
  await copyText(url, failure === null ? 'the link; the request is pinned' : `the link; not pinned: ${failure}`)
}

function formatCopy(record: RequestRecord, form: CopyForm): string {
  if (form === 'cURL') return toCurl(toSendable(record, location.origin))
  if (form === 'fetch') return toFetch(toSendable(record, location.origin))
  if (form === 'HTTP message') return toHttp(record, statusHint(record['http.response.status_code']))
  return JSON.stringify(record, null, 2)
}

export async function togglePin(context: ViewContext, summary: RequestSummary): Promise<void> {
  const pinned = !summary['dev.pinned']
  const failure = await pin(context, summary, pinned)
  if (failure !== null) toast(`Not pinned: ${failure}`)
  else toast(pinned ? 'Pinned: kept until you unpin it' : 'Unpinned')
}

/** Pins the request of an opened link. */
export async function pinOpened(context: ViewContext, summary: RequestSummary): Promise<void> {
  const failure = await pin(context, summary, true)
  if (failure !== null) toast(`Not pinned: ${failure}`)
}

/** Returns why a request could not be pinned or unpinned; `null` if it is. */
async function pin(context: ViewContext, summary: RequestSummary, pinned: boolean): Promise<string | null> {
  if (summary['dev.pinned'] === pinned) return null
  try {
    const { ids } = await api.pin({ id: summary.id, pinned })
    context.store.update((state) => applyEvent(state, 'pinned', { v: 1, ids }))
    return null
  } catch (error) {
    return errorReason(error)
  }
}

/** Clears the page and the app, except for pinned requests. */
export async function clearAll(context: ViewContext): Promise<void> {
  try {
    await api.clear()
    context.store.update((state) => applyEvent(state, 'cleared', { v: 1 }))
    const { id, ...rest } = context.address()
    const isGone = context.store.state.records.every((record) => record.id !== id)
    if (id !== null && rest.view === 'requests' && isGone) context.go({ ...rest, id: null, tab: '' })
    toast('Cleared; pinned requests stay')
  } catch (error) {
    toast(`Not cleared: ${errorReason(error)}`)
  }
}

function errorReason(error: unknown): string {
  return error instanceof Error ? error.message : 'the app does not respond'
}
