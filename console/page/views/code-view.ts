/** Views of bodies. JSON has colors and can be folded. Of long bodies, only the lines in view are created. */
import { REDACTED_MARK, type CapturedBody } from '../../../src/devconsole/wire/request-types.js'
import { append, fill, h, type Child } from '../dom/h.js'
import { emptyMessage, textButton } from '../dom/parts.js'
import { formatBytes, int } from '../pure/format.js'
import { toJsonLines, MAX_LINES, chooseBodyForm, visibleRows, type JsonLine } from '../pure/json-lines.js'

const LINE_HEIGHT = 19
const SPARE_LINES = 30

export function bodyView(body: CapturedBody | null): Child {
  if (body === null) return emptyMessage('No body.')
  if (body.omitted !== null) return emptyMessage(body.omitted)
  const note = body.truncated
    ? h('p', { class: 'more' }, `Only the beginning of ${formatBytes(body.size)} was kept.`)
    : null
  if (body.text !== null) return [textView(body.text, isJsonMediaType(body.type)), note]
  if (body.hex === null) return emptyMessage('No body.')
  return bytesView(body.hex.match(/.{1,2}/g) ?? [], body.size)
}

/** Shows the first bytes of a body, in hexadecimal. */
export function bytesView(bytes: readonly string[], size: number): Child {
  return [
    h('div', { class: 'code wrap' }, bytes.join(' ')),
    h('p', { class: 'more' }, `The first 64 bytes of ${formatBytes(size)}.`),
  ]
}

export function isJsonMediaType(type: string | null): boolean {
  return /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/i.test(type ?? '')
}

export function textView(text: string, isJson: boolean): HTMLElement {
  const box = h('div', null)
  const show = (wantsAll: boolean) => {
    const form = chooseBodyForm(text, isJson, wantsAll)
    if (form.kind === 'json') fill(box, jsonView(form.value))
    else if (form.kind === 'large') fill(box, largeView(text))
    else {
      const plainText = { class: 'code wrap tall', tabindex: '0', role: 'region', 'aria-label': 'Text' }
      const note = `${int(form.more)} more characters are not shown.`
      const showAll = textButton('Show all', () => show(true))
      fill(box, h('div', plainText, form.text), form.more > 0 && h('p', { class: 'more' }, note, showAll))
    }
  }
  show(false)
  return box
}

function largeView(text: string): HTMLElement {
  const save = () => {
    const link = h('a', { href: URL.createObjectURL(new Blob([text])), download: 'body.txt' })
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
  }
  return h(
    'p',
    { class: 'more' },
    `${formatBytes(text.length)} are too many to show here.`,
    textButton('Download', save),
  )
}

function jsonView(value: unknown): HTMLElement {
  const folded = new Set<string>()
  const box = h('div', { class: 'code', tabindex: '0', role: 'region', 'aria-label': 'JSON' })
  let lines: readonly JsonLine[] = []
  const draw = () => drawLines(box, lines, toggle)
  const toggle = (path: string) => {
    if (!folded.delete(path)) folded.add(path)
    lines = toJsonLines(value, folded, REDACTED_MARK)
    draw()
    box.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus()
  }
  lines = toJsonLines(value, folded, REDACTED_MARK)
  if (lines.length > MAX_LINES) {
    box.classList.add('tall')
    box.addEventListener('scroll', draw, { passive: true })
  }
  draw()
  return box
}

function drawLines(box: HTMLElement, lines: readonly JsonLine[], toggle: (path: string) => void): void {
  const scroll = { top: box.scrollTop, height: Math.max(box.clientHeight, 480), row: LINE_HEIGHT }
  const isWindow = lines.length > MAX_LINES
  const { first, end } = isWindow ? visibleRows(scroll, lines.length, SPARE_LINES) : { first: 0, end: lines.length }
  const gap = (count: number) => count > 0 && h('span', { class: 'gap', css: { '--h': `${count * LINE_HEIGHT}px` } })
  const lineViews = lines.slice(first, end).map((line) => codeLine(line, toggle))
  box.replaceChildren()
  append(box, [gap(first), lineViews, gap(lines.length - end)])
}

function codeLine(line: JsonLine, toggle: (path: string) => void): HTMLElement {
  const tokens = line.tokens.map(({ kind, text }) =>
    kind === 'punctuation' ? text : h('span', { class: `t-${kind}` }, text),
  )
  return h('span', { class: 'ln', css: { '--d': String(line.depth) } }, foldMark(line, toggle), tokens)
}

function foldMark(line: JsonLine, toggle: (path: string) => void): HTMLElement {
  if (line.fold === null) return h('span', { class: 'pad' })
  const isOpen = line.fold === 'open'
  return h(
    'button',
    {
      type: 'button',
      class: 'fold',
      'data-path': line.path,
      'aria-expanded': String(isOpen),
      'aria-label': line.path === '' ? 'All' : line.path,
      on: { click: () => toggle(line.path) },
    },
    isOpen ? '▾' : '▸',
  )
}
