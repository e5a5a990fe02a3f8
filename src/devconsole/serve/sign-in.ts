/** The page for clients without a session: it holds nothing of the app, and exchanges the token in its address for a session. */
import { hashOf, type PageHashes } from './answers.js'
import { documentOf } from './no-script.js'
import { BASE } from '../host/console-settings.js'

/** A link that is opened where this page is shown changes the part behind `#` alone, and loads nothing. */
const SCRIPT = `addEventListener('hashchange', enter)
enter()
function enter() {
  const match = /[#&]token=([^&]+)/.exec(location.hash)
  const note = document.querySelector('p')
  if (match === null) return
  history.replaceState(null, '', location.pathname)
  fetch('${BASE}/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: decodeURIComponent(match[1]) }),
  }).then(
    (answer) => (answer.ok ? location.reload() : (note.textContent = answer.status === 429 ? 'Too many attempts. Wait a second, then open the link again.' : 'This token does not open the console. Take the link that was printed at the last start.')),
    () => (note.textContent = 'The app does not answer.'),
  )
}`
const STYLE =
  ':root{color-scheme:light dark;background:Canvas;color:CanvasText}body{font:15px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:34rem;padding:0 1rem}'

export const SIGN_IN_HASHES: PageHashes = { script: hashOf(SCRIPT), style: hashOf(STYLE) }

export const SIGN_IN_TEXT = 'The console needs a token: open the link that the app printed when it began to listen'

export const SIGN_IN_PAGE: string = documentOf(
  'Console',
  `<h1>Console</h1><p>${SIGN_IN_TEXT}.</p><script>${SCRIPT}</script>`,
  STYLE,
)
