/** Form that sends a request to an endpoint, or sends a recorded request again with changes. */
import type { RequestRecord, RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import type { RouteInfo } from '../../../src/devconsole/wire/view-types.js'
import { fill, h, type Child } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { copyText, say, toast } from '../dom/notice.js'
import { button, secondaryText, emptyMessage } from '../dom/parts.js'
import { readCredential } from '../live/credentials.js'
import { sendTry } from '../live/send.js'
import { formatAddress } from '../pure/address.js'
import { isSuccess } from '../pure/compare.js'
import { parseHeaders, schemeCredentials } from '../pure/credentials.js'
import { ms } from '../pure/format.js'
import { isOfFile } from '../pure/runs.js'
import { clamp } from '../pure/geometry.js'
import { TRIAL } from '../pure/list.js'
import { toCurl, type SendableRequest } from '../pure/messages.js'
import type { State } from '../pure/state.js'
import { listOrEmpty, type JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import { buildForm, buildRequest, freeHeaders, freeQuery, targetForm, type FilledForm } from '../pure/try-form.js'
import { confirmSend, whyNotReplayable, SENDING } from './actions.js'
import type { ViewContext } from './context.js'
import { findOperation } from './route-detail.js'
import { addRecord, responseBody, responseFacts, responseHeaders } from './try-answer.js'
import { copyTyped, fieldKey, inputFor, inputValue, labelField, schemeFields } from './try-inputs.js'

export interface TrySource {
  readonly context: ViewContext
  /** `null` for a request without an endpoint, whose method and target are fields of the form. */
  readonly route: RouteInfo | null
  readonly document: JsonRecord
  /** Record with the initial values; `null` for the examples of the document. */
  readonly draft: RequestRecord | null
}

/** Maximum time to wait for the record of a sent request, in ms. */
const RECORD_TIMEOUT_MS = 3_000
const POLL_MS = 100

export class TryIt {
  readonly element: HTMLElement
  /** Id of the endpoint; empty without one. */
  readonly route: string
  readonly #source: TrySource
  readonly #form: FilledForm
  readonly #inputs: readonly (HTMLInputElement | HTMLSelectElement)[]
  readonly #headers: HTMLTextAreaElement
  readonly #query: HTMLInputElement
  readonly #body: HTMLTextAreaElement | null
  readonly #cancel: HTMLButtonElement
  readonly #out: HTMLElement = h('div', { class: 'out', hidden: true, role: 'group', 'aria-label': 'Answer' })
  #sending: AbortController | null = null

  constructor(source: TrySource) {
    const { draft } = source
    this.#source = source
    this.route = source.route?.id ?? ''
    this.#form = createForm(source)
    this.#inputs = this.#form.fields.map(inputFor)
    const headers = draft === null ? '' : freeHeaders(this.#form, draft)
    this.#headers = h(
      'textarea',
      { class: 'in', rows: 3, spellcheck: 'false', 'aria-label': 'Headers', placeholder: 'name: value' },
      headers,
    )
    const query = draft === null ? '' : freeQuery(this.#form, draft)
    this.#query = h('input', { class: 'in', type: 'text', autocomplete: 'off', placeholder: 'a=1&b=2', value: query })
    const { body } = this.#form
    const area = {
      class: 'in',
      rows: clamp((body ?? '').split('\n').length, 4, 16),
      spellcheck: 'false',
      'aria-label': 'Body',
      placeholder: 'Body',
    }
    this.#body = body === null ? null : h('textarea', area, body)
    this.#cancel = button('close', 'Cancel', { hidden: true, on: { click: () => this.#sending?.abort() } })
    const title = draft === null ? 'Try it' : 'Edit and resend'
    const head = h('header', null, icon('send'), h('h3', null, title), secondaryText(location.host))
    this.element = h('section', { class: 'try', 'aria-label': title }, head, this.#formElement(), this.#out)
  }

  /** Focuses the first field and selects its value. */
  focus(): void {
    const first = this.element.querySelector<HTMLElement>('input, select, textarea')
    first?.focus()
    if (first instanceof HTMLInputElement) first.select()
  }

  /** Copies the values that the user entered into another form of the endpoint. */
  keepTyped(previous: TryIt): void {
    const typed = new Map(previous.#form.fields.map((field, index) => [fieldKey(field), previous.#inputs[index]]))
    this.#form.fields.forEach((field, index) => copyTyped(typed.get(fieldKey(field)), this.#inputs[index]))
    copyTyped(previous.#body ?? undefined, this.#body ?? undefined)
    copyTyped(previous.#headers, this.#headers)
    copyTyped(previous.#query, this.#query)
  }

  #formElement(): HTMLFormElement {
    const { fields, schemes = DEFAULT_SCHEMES } = this.#form
    const labels = fields.map((field, index) => labelField(field, this.#inputs[index]))
    const submit = (event: Event) => {
      event.preventDefault()
      void this.#send()
    }
    const keydown = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
    }
    return h(
      'form',
      { on: { submit, keydown } },
      labels,
      schemes.map(schemeFields),
      this.#signIn(),
      this.#freeInputs(),
      this.#body,
      missingNote(this.#source.draft),
      h('p', { class: 'hint' }, SENDING),
      this.#foot(),
    )
  }

  #foot(): HTMLElement {
    const copy = { click: () => this.#copy() }
    const startFromLast = { click: () => void this.#startFromLast() }
    return h(
      'div',
      { class: 'foot' },
      button('send', 'Send', { class: 'btn primary', type: 'submit', title: 'Send (Ctrl ↵)' }),
      this.#cancel,
      button('copy', 'Copy as cURL', { on: copy }),
      this.#source.route !== null &&
        button('up', 'Last good call', { on: startFromLast, title: 'Fill the form with the last successful call' }),
      h('kbd', null, 'Ctrl ↵'),
    )
  }

  /** Inputs for headers and query parameters that the endpoint does not declare. */
  #freeInputs(): HTMLElement {
    const isOpen = this.#headers.value !== '' || this.#query.value !== ''
    const hasTarget = this.#source.route === null
    return h(
      'details',
      { class: 'free', open: isOpen },
      h('summary', null, hasTarget ? 'Headers' : 'Headers and query'),
      h('label', null, h('span', null, 'Headers'), this.#headers),
      !hasTarget && h('label', null, h('span', null, 'Query'), this.#query),
    )
  }

  /** Links to the endpoints that create a session, because a page cannot read or set `HttpOnly` cookies. */
  #signIn(): Child {
    const routes = this.#routes()
    const links = listOrEmpty(this.#form.signIn).flatMap((operation) => {
      const route = routes.find((candidate) => JSON.stringify(candidate.operation) === JSON.stringify(operation))
      const text = `${route?.method} ${route?.template}`
      return route === undefined
        ? []
        : [' ', h('a', { class: 'link', href: formatAddress({ view: 'routes', id: route.id }) }, text)]
    })
    return links.length > 0 && h('p', { class: 'hint' }, 'To get the cookie, sign in with', links)
  }

  #routes(): readonly RouteInfo[] {
    const list = this.#source.context.shelf.routes()
    return list.kind === 'ready' ? list.value.routes : []
  }

  /** Builds the request. If a line of the headers is invalid, returns this line. */
  #request(): SendableRequest | string {
    const headers = parseHeaders(this.#headers.value)
    if (typeof headers === 'string') return headers
    const values = this.#inputs.map((input) => inputValue(input))
    const { schemes = DEFAULT_SCHEMES } = this.#form
    const stored = schemeCredentials(schemes, readCredential)
    const typed = { values, body: this.#body?.value ?? null, query: this.#query.value, stored }
    return buildRequest(this.#form, typed, { origin: location.origin, headers })
  }

  #copy(): void {
    const request = this.#request()
    if (typeof request === 'string') this.#showInvalidHeader(request)
    else void copyText(toCurl(request), 'as cURL')
  }

  #showInvalidHeader(line: string): void {
    this.#out.hidden = false
    fill(this.#out, emptyMessage(`"${line}" is not a header. Write "name: value"`))
  }

  async #startFromLast(): Promise<void> {
    const { context, route } = this.#source
    const lastSuccess = context.store.state.records.find(
      (record) =>
        record['code.function.name'] === this.route &&
        record['http.request.method'] === route?.method &&
        isSuccess(record) &&
        !isOfFile(record),
    )
    if (lastSuccess === undefined) return toast('No successful call of this endpoint is stored')
    try {
      context.draft = await context.shelf.load(lastSuccess.id)
      context.store.touch()
    } catch {
      toast('The last successful call is no longer stored')
    }
  }

  async #send(): Promise<void> {
    const request = this.#request()
    if (typeof request === 'string') return this.#showInvalidHeader(request)
    const { draft, context } = this.#source
    if (draft !== null && !(await confirmSend(request.method))) return
    const origin = replayOrigin(draft)
    const newest = newestNumber(context.store.state)
    this.#sending?.abort()
    const sending = new AbortController()
    this.#sending = sending
    this.#out.hidden = false
    this.#cancel.hidden = false
    fill(this.#out, emptyMessage('Waiting for the response …'))
    try {
      const response = await sendTry(request, origin, sending.signal)
      const facts = responseFacts(response)
      fill(this.#out, facts, responseHeaders(response), responseBody(response))
      say(`Answered with ${response.status} in ${ms(response.duration)}`)
      this.#cancel.hidden = true
      // The record is added to the response, because drawing all again would lose the focus and the folded lines.
      addRecord(facts, await this.#waitForRecord(origin, newest))
    } catch (error) {
      if (this.#sending === sending) fill(this.#out, emptyMessage(failureText(error, sending.signal)))
    } finally {
      if (this.#sending === sending) this.#cancel.hidden = true
    }
  }

  /** Waits until the feed contains the sent request. */
  async #waitForRecord(origin: string, newest: number): Promise<RequestSummary | null> {
    const { store } = this.#source.context
    for (let waited = 0; waited < RECORD_TIMEOUT_MS; waited += POLL_MS) {
      const records = [...store.state.held.records, ...store.state.records]
      const replay = records.find((record) => record['dev.replayOf'] === origin && record.seq > newest)
      if (replay !== undefined) return replay
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    return null
  }
}

/** Returns the id of the original. The app does not know requests from files, so they have a random id. */
function replayOrigin(draft: RequestRecord | null): string {
  return draft === null || isOfFile(draft) ? `${TRIAL}${Math.random().toString(36).slice(2, 10)}` : draft.id
}

/** Sequence number of the newest request of the app. */
function newestNumber({ records, boot }: State): number {
  return records.find((record) => record.boot === boot)?.seq ?? 0
}

function createForm({ context, route, document, draft }: TrySource): FilledForm {
  // Proof: a form without an endpoint always has a draft.
  if (route === null) return targetForm(draft as RequestRecord)
  const { versionHeader } = context.store.state.settings
  return buildForm({ ...route, versionHeader }, findOperation(route, document), draft)
}

/** Default schemes, because every endpoint can read `Authorization`, even if the document does not name it. */
const DEFAULT_SCHEMES = [{ kind: 'http', name: 'Authorization' }] as const

function failureText(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'Canceled.'
  return `No answer: ${error instanceof Error ? error.message : 'the request failed'}`
}

function missingNote(draft: RequestRecord | null): Child {
  const missing = draft && whyNotReplayable(draft)
  return missing && h('p', { class: 'hint' }, `${missing}. Complete it before you send it.`)
}
