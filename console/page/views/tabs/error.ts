/** Error tab: message, source, stack and cause of the thrown error. */
import type { ErrorDetail, SourceExcerpt, StackFrame } from '../../../../src/devconsole/wire/request-types.js'
import { h, type Child } from '../../dom/h.js'
import { toast } from '../../dom/notice.js'
import { section, textButton } from '../../dom/parts.js'
import { api } from '../../live/api.js'
import { formatCount } from '../../pure/format.js'
import { placeText } from '../../pure/editor.js'
import { placeMark } from '../place.js'
import type { RecordSource } from './panel-source.js'

export function errorPanel(source: RecordSource): Child {
  return source.record.error && errorView(source.record.error, source)
}

function errorView(error: ErrorDetail, source: RecordSource): Child {
  return [
    h('div', { class: 'thrown' }, h('p', null, h('b', { class: 'mono' }, error.name)), h('p', null, error.message)),
    error.source && excerpt(error.source, source),
    stack(error, source),
    error.cause && nested('Caused by', [error.cause], source),
    error.members.length > 0 && nested('Errors within', error.members, source),
  ]
}

function nested(title: string, errors: readonly ErrorDetail[], source: RecordSource): HTMLElement {
  return section(
    title,
    null,
    errors.map((error) => h('div', { class: 'cause' }, errorView(error, source))),
  )
}

function excerpt(code: SourceExcerpt, { context }: RecordSource): HTMLElement {
  const lines = code.lines.map((text, index) => {
    const number = code.first + index
    return h('div', { class: number === code.line ? 'hit' : null }, h('i', null, number), h('span', null, text))
  })
  const label = `Source of ${placeText(code)}, line ${code.line} is where it was thrown`
  const box = h('div', { class: 'code src', tabindex: '0', role: 'region', 'aria-label': label }, lines)
  return section('Source', placeMark(code, context.store.state), box)
}

function stack({ frames, source: shown }: ErrorDetail, source: RecordSource): Child {
  if (frames.length === 0) return null
  const appFrames = frames.filter((frame) => frame.kind === 'app')
  const otherFrames = frames.filter((frame) => frame.kind !== 'app')
  const more =
    otherFrames.length > 0 &&
    h(
      'li',
      null,
      h(
        'details',
        null,
        h('summary', null, `${formatCount(otherFrames.length, 'frame')} of libraries and Node`),
        h(
          'ol',
          { class: 'frames' },
          otherFrames.map((frame) => frameView(frame, shown, source)),
        ),
      ),
    )
  return section(
    'Stack',
    `${appFrames.length} of yours, ${otherFrames.length} of libraries and Node`,
    h(
      'ol',
      { class: 'frames' },
      appFrames.map((frame) => frameView(frame, shown, source)),
      more,
    ),
  )
}

function frameView(frame: StackFrame, shown: SourceExcerpt | null, source: RecordSource): HTMLElement {
  const isFromApp = frame.kind === 'app'
  const isShown = shown?.line === frame.line && shown.file === frame.file
  // The app only reads the sources of its current run.
  const isReadable = isFromApp && !isShown && source.record.boot === source.context.store.state.boot
  const button = isReadable ? textButton('source', () => void showSource(button, frame, source), 'link') : null
  return h(
    'li',
    { class: isFromApp ? null : 'lib' },
    h('span', null, frame.function || '(top level)'),
    isFromApp ? placeMark(frame, source.context.store.state) : placeText(frame),
    button,
  )
}

async function showSource(button: Element | null, frame: StackFrame, source: RecordSource): Promise<void> {
  try {
    const code = await api.source(`${source.record.id}.${frame.n}`)
    button?.replaceWith(excerpt(code, source))
  } catch {
    toast('The source of this frame cannot be read')
  }
}
