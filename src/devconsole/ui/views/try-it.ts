/** The form that tries an endpoint out, or sends a recorded request again with changes. */
import type { RequestRecord, RequestSummary } from '../../wire/request-types.js'
import type { RouteInfo, TryField } from '../../wire/view-types.js'
import { fill, h } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { copyText, say } from '../dom/notice.js'
import { button, secondaryText, emptyMessage, statusMark } from '../dom/parts.js'
import { formatAddress } from '../pure/address.js'
import { formatBytes, ms } from '../pure/format.js'
import { clamp } from '../pure/geometry.js'
import { TRIAL } from '../pure/list.js'
import { toCurl, type SendableRequest } from '../pure/messages.js'
import type { JsonRecord } from '../../wire/json-schema.js'
import { buildForm, buildRequest, type FilledForm } from '../pure/try-form.js'
import { mayBeSent, sendTry, SENDING, type Answer } from './actions.js'
import { isJsonMediaType, textView } from './code-view.js'
import type { ViewContext } from './context.js'
import { findOperation } from './route-detail.js'
import { waterfallBar } from './tabs/waterfall.js'

/** What the form is made of. */
export interface TrySource {
  readonly context: ViewContext
  readonly route: RouteInfo
  readonly document: JsonRecord
  /** Record to be sent again; `null` for an example. */
  readonly draft: RequestRecord | null
}

/** How long the record of what was sent is looked for, in ms. */
const LOOK_MS = 3_000
const LOOK_STEP_MS = 100

/** Kept while the page is open, nowhere else. */
let authorization = ''

/** The form. */
export class TryIt {
  readonly element: HTMLElement
  /** Id of its endpoint. */
  readonly route: string
  readonly #source: TrySource
  readonly #form: FilledForm
  readonly #inputs: readonly (HTMLInputElement | HTMLSelectElement)[]
  readonly #authorization: HTMLInputElement
  readonly #body: HTMLTextAreaElement | null
  readonly #out: HTMLElement = h('div', { class: 'out', hidden: true, role: 'group', 'aria-label': 'Answer' })

  constructor(source: TrySource) {
    const { route, document, draft } = source
    this.#source = source
    this.route = route.id
    const { versionHeader } = source.context.store.state.settings
    this.#form = buildForm({ ...route, versionHeader }, findOperation(route, document), draft)
    this.#inputs = this.#form.fields.map(inputFor)
    const secret = { type: 'password', autocomplete: 'off', placeholder: 'kept in this tab only', value: authorization }
    this.#authorization = h('input', { class: 'in', ...secret })
    const { body } = this.#form
    this.#body =
      body === null
        ? null
        : h('textarea', { class: 'in', rows: textareaRows(body), spellcheck: 'false', 'aria-label': 'Body' }, body)
    const title = draft === null ? 'Try it' : 'Edit and resend'
    const head = h('header', null, icon('send'), h('h3', null, title), secondaryText(location.host))
    this.element = h('section', { class: 'try', 'aria-label': title }, head, this.#formElement(), this.#out)
  }

  /** Gives the focus to the first field, so that what is typed takes the place of its value. */
  focus(): void {
    const first = this.element.querySelector<HTMLElement>('input, select, textarea')
    first?.focus()
    if (first instanceof HTMLInputElement) first.select()
  }

  /** Takes over what was typed into another form of the endpoint: values of fields with the same name, and the body. */
  keepTyped(previous: TryIt): void {
    const typed = new Map(previous.#form.fields.map((field, index) => [fieldKey(field), previous.#inputs[index]]))
    this.#form.fields.forEach((field, index) => copyTyped(typed.get(fieldKey(field)), this.#inputs[index]))
    copyTyped(previous.#body ?? undefined, this.#body ?? undefined)
  }

  #formElement(): HTMLFormElement {
    const { fields } = this.#form
    const labels = fields.map((field, index) => labelField(field, this.#inputs[index]))
    const copy = { click: () => void copyText(toCurl(this.#request()), 'as cURL') }
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
      h('label', null, h('span', null, 'Authorization'), this.#authorization),
      this.#body,
      h('p', { class: 'hint' }, SENDING),
      h(
        'div',
        { class: 'foot' },
        button('send', 'Send', { class: 'btn primary', type: 'submit' }),
        button('copy', 'Copy as cURL', { on: copy }),
        h('kbd', null, 'Ctrl ↵'),
      ),
    )
  }

  #request(): SendableRequest {
    authorization = this.#authorization.value
    const values = this.#inputs.map((input, index) => {
      if (!(input instanceof HTMLInputElement)) return input.value
      if (input.files !== null) return [...input.files]
      return input.type === 'checkbox' ? checkedBox(input, this.#form.fields[index]) : input.value
    })
    const headers = this.#source.draft?.request.headers ?? []
    const typed = { values, body: this.#body?.value ?? null, authorization }
    return buildRequest(this.#form, typed, { origin: location.origin, headers })
  }

  async #send(): Promise<void> {
    const request = this.#request()
    const { draft, context } = this.#source
    if (draft !== null && !(await mayBeSent(request.method))) return
    const origin = draft?.id ?? `${TRIAL}${Math.random().toString(36).slice(2, 10)}`
    const newest = context.store.state.records[0]?.seq ?? 0
    this.#out.hidden = false
    fill(this.#out, emptyMessage('Waiting for the answer …'))
    try {
      const answer = await sendTry(request, origin)
      const facts = responseFacts(answer)
      fill(this.#out, facts, responseBodyView(answer))
      say(`Answered with ${answer.status} in ${ms(answer.duration)}`)
      // Drawing the answer again would lose the focus and what was folded.
      addRecord(facts, await this.#recordOf(origin, newest))
    } catch (error) {
      fill(this.#out, emptyMessage(`No answer: ${error instanceof Error ? error.message : 'the request failed'}`))
    }
  }

  /** What was sent comes back by the feed like every other request. */
  async #recordOf(origin: string, newest: number): Promise<RequestSummary | null> {
    const { store } = this.#source.context
    for (let waited = 0; waited < LOOK_MS; waited += LOOK_STEP_MS) {
      const records = [...store.state.held.records, ...store.state.records]
      const replay = records.find((record) => record['dev.replayOf'] === origin && record.seq > newest)
      if (replay !== undefined) return replay
      await new Promise((resolve) => setTimeout(resolve, LOOK_STEP_MS))
    }
    return null
  }
}

function responseFacts({ status, duration, text }: Answer): HTMLElement {
  const mark = status === 0 ? h('span', { class: 'st s3' }, 'a redirect') : statusMark(status, true)
  const size = h('span', null, formatBytes(new Blob([text]).size))
  return h('div', { class: 'facts num' }, mark, h('span', null, ms(duration)), size)
}

function addRecord(facts: HTMLElement, record: RequestSummary | null): void {
  if (record === null) return
  facts.append(h('a', { class: 'link', href: formatAddress({ id: record.id }) }, 'Open in Requests'))
  facts.after(waterfallBar(record['dev.phases']))
}

function responseBodyView({ text, type }: Answer): HTMLElement {
  return text === '' ? emptyMessage('No body.') : textView(text, isJsonMediaType(type))
}

function inputFor(field: TryField): HTMLInputElement | HTMLSelectElement {
  const { kind, value, required } = field
  if (kind === 'select') {
    const options = field.options.map((option) =>
      h('option', { value: option, selected: option === value }, option || '(none)'),
    )
    return h('select', { class: 'in', required }, options)
  }
  if (kind === 'checkbox') return h('input', { type: 'checkbox', checked: value === 'true' })
  if (kind === 'file' || kind === 'files') {
    return h('input', { class: 'in', type: 'file', accept: field.options.join(), multiple: kind === 'files', required })
  }
  // A number field would refuse what the app shall refuse: bad input is worth trying out.
  const inputmode = kind === 'number' ? 'decimal' : null
  return h('input', {
    class: 'in',
    type: 'text',
    inputmode,
    required,
    value,
    placeholder: field.hint,
    autocomplete: 'off',
  })
}

function fieldKey({ place, name, kind }: TryField): string {
  return `${place} ${kind} ${name}`
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function copyTyped(from: Field | undefined, to: Field | undefined): void {
  if (from === undefined || to === undefined || !wasTyped(from)) return
  if (!(from instanceof HTMLInputElement && to instanceof HTMLInputElement)) to.value = from.value
  else if (from.type === 'checkbox') to.checked = from.checked
  else if (from.type === 'file') to.files = from.files
  else to.value = from.value
}

function wasTyped(input: Field): boolean {
  if (input instanceof HTMLSelectElement) return input.selectedOptions[0]?.defaultSelected === false
  if (input.type === 'checkbox') return input instanceof HTMLInputElement && input.checked !== input.defaultChecked
  return input.value !== input.defaultValue
}

/** Where something is taken if nothing is sent, that must be said to be otherwise. */
function checkedBox(input: HTMLInputElement, field: TryField | undefined): string {
  if (input.checked) return 'true'
  return field?.required === true || (field?.value ?? '') !== '' ? 'false' : ''
}

function labelField(field: TryField, input: HTMLElement | undefined): HTMLElement {
  const star = field.required ? h('b', { title: 'required' }, ' *') : null
  return h('label', null, h('span', { title: field.hint }, field.name, star), input)
}

/** As many as the text has, within reason. */
function textareaRows(text: string): number {
  return clamp(text.split('\n').length, 4, 16)
}
