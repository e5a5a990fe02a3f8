/** Place in the code: a link that opens the editor, or a button that copies the place if no editor is configured. */
import type { CodePlace } from '../../../src/devconsole/wire/request-types.js'
import { h } from '../dom/h.js'
import { copyText } from '../dom/notice.js'
import { textButton } from '../dom/parts.js'
import { editorLink, placeText } from '../pure/editor.js'
import type { State } from '../pure/state.js'

export function placeMark(place: CodePlace & { readonly column?: number }, state: State): HTMLElement {
  const text = placeText(place)
  const href = editorLink(state.settings.editor, state.app?.root ?? '', place)
  if (href !== null) return h('a', { class: 'link mono', href, title: 'Open in your editor' }, text)
  return textButton(text, () => void copyText(text, text), 'link mono')
}
