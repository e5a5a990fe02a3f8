/** What can be done with requests: send them again, copy, pin, clear. */
import { REPLAY_HEADER, type RequestRecord, type RequestSummary } from '../../wire/request-types.js'
import { askConfirmation } from '../dom/dialog.js'
import { copyText, toast } from '../dom/notice.js'
import { statusHint } from '../dom/titles.js'
import { api } from '../live/api.js'
import { formatAddress } from '../pure/address.js'
import { ms } from '../pure/format.js'
import { SAFE_METHODS, toSendable, settable, toCurl, toFetch, toHttp, type SendableRequest } from '../pure/messages.js'
import { applyEvent } from '../pure/reduce.js'
import type { ViewContext } from './context.js'

/** What sending a request from the page means. */
export const SENDING = 'Sent by this browser: Cookie, User-Agent and Host are its own, and side effects do happen.'

/** Whether it was agreed in this tab that side effects happen again. */
let isAgreed = false

/** What came back. */
export interface Answer {
  readonly status: number
  readonly duration: number
  readonly type: string | null
  readonly text: string
}

/** Sends a request to the app. */
export async function sendTry(request: SendableRequest, origin: string): Promise<Answer> {
  const headers = new Headers()
  for (const [name, value] of settable(request.headers)) headers.append(name, value)
  headers.set(REPLAY_HEADER, origin)
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  const begin = performance.now()
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    body: hasBody ? toFetchBody(request) : null,
    redirect: 'manual',
    cache: 'no-store',
  })
  const text = await response.text()
  const { status } = response
  return { status, text, type: response.headers.get('content-type'), duration: performance.now() - begin }
}

function toFetchBody({ body, parts }: SendableRequest): string | FormData | null {
  if (parts === undefined) return body
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

/** Asks once a tab before a request with side effects is sent. */
export async function mayBeSent(method: string): Promise<boolean> {
  if (isAgreed || SAFE_METHODS.has(method)) return true
  isAgreed = await askConfirmation(`Send this ${method} again?`, `${SENDING} This is asked once in this tab.`, 'Send')
  return isAgreed
}

/** Sends a recorded request again. */
export async function replay(context: ViewContext, summary: RequestSummary): Promise<void> {
  if (!(await mayBeSent(summary['http.request.method']))) return
  try {
    const record = await context.shelf.wanted(summary.id)
    if (record.request.body?.truncated === true || typeof record.request.body?.omitted === 'string') {
      toast('Its body was not kept whole: use Edit and resend')
      return
    }
    const answer = await sendTry(toSendable(record, location.origin), summary.id)
    toast(`Replayed: ${answer.status === 0 ? 'redirected' : answer.status} in ${ms(answer.duration)}`)
  } catch (error) {
    toast(`Not replayed: ${errorReason(error)}`)
  }
}

/** Opens a recorded request in the form that sends it. */
export async function edit(context: ViewContext, summary: RequestSummary): Promise<void> {
  const id = summary['code.function.name']
  if (id === null) {
    toast('Cannot be edited: no endpoint answered it')
    return
  }
  try {
    context.draft = await context.shelf.wanted(summary.id)
    context.go({ view: 'routes', id })
  } catch (error) {
    toast(`Cannot be edited: ${errorReason(error)}`)
  }
}

/** Forms in which a request is copied. */
export const COPIES = ['cURL', 'fetch', 'HTTP message', 'JSON record', 'link'] as const

/** Name of a form. */
type CopyForm = (typeof COPIES)[number]

/** Copies a request. */
export async function copy(context: ViewContext, summary: RequestSummary, form: CopyForm): Promise<void> {
  try {
    const text = form === 'link' ? copyLink(summary) : formatCopy(await context.shelf.wanted(summary.id), form)
    await copyText(text, form === 'link' ? 'the link' : `as ${form}`)
  } catch (error) {
    toast(`Not copied: ${errorReason(error)}`)
  }
}

function copyLink(summary: RequestSummary): string {
  return `${location.origin}${location.pathname}${formatAddress({ id: summary.id })}`
}

function formatCopy(record: RequestRecord, form: CopyForm): string {
  if (form === 'cURL') return toCurl(toSendable(record, location.origin))
  if (form === 'fetch') return toFetch(toSendable(record, location.origin))
  if (form === 'HTTP message') return toHttp(record, statusHint(record['http.response.status_code']))
  return JSON.stringify(record, null, 2)
}

/** Pins a request, or unpins it. */
export async function togglePin(context: ViewContext, summary: RequestSummary): Promise<void> {
  const pinned = !summary['dev.pinned']
  try {
    const { ids } = await api.pin({ id: summary.id, pinned })
    context.store.update((state) => applyEvent(state, 'pinned', { v: 1, ids }))
    toast(pinned ? 'Pinned: kept until you unpin it' : 'Unpinned')
  } catch (error) {
    toast(`Not pinned: ${errorReason(error)}`)
  }
}

/** Clears all but what is pinned, here and in the app. */
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
  return error instanceof Error ? error.message : 'the app does not answer'
}
