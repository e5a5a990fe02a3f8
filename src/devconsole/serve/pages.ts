/** Pages of the console: the page built from `ui/`, pages for browsers without JavaScript, and the sign-in page. */
import { findCallOuts, plainText } from '../store/detectors.js'
import { sha256Source, type PageHashes } from './responses.js'
import { PAGE } from './page.generated.js'
import { BASE } from '../host/console-state.js'
import type { ErrorDetail, Message, Query, RequestRecord, RequestSummary } from '../wire/request-types.js'

/** Values that are inserted into the page. They are outside of scripts and style, so that the hashes stay valid. */
type PageFacts = Readonly<Record<(typeof PLACES)[number], string>>
const PLACES = ['token', 'name', 'version', 'boot'] as const

export function renderPage(facts: PageFacts): string {
  return PLACES.reduce<string>((page, key) => page.replaceAll(`{{${key}}}`, () => escapeHtml(facts[key])), PAGE)
}

/** Escapes a string for HTML content and quoted attributes. Also escapes `{`, so that the string cannot contain a placeholder. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`{]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const MAX_ROWS = 100
/** Index of the column that links to the request. */
const PATH_COLUMN = 2

const STYLE = `:root{color-scheme:light dark;background:Canvas;color:CanvasText}
body{font:14px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:70rem;padding:0 1rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.2rem .6rem .2rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}
pre{white-space:pre-wrap;font:12px/1.5 ui-monospace,monospace}
.list :is(th,td){overflow-wrap:normal;vertical-align:top}
.list :is(th,td):not(:nth-child(3)){white-space:nowrap}
.list td:nth-child(3){overflow-wrap:anywhere;width:60%}
@media(max-width:50rem){.list :is(th,td):nth-child(4){display:none}.list td:last-child{white-space:normal}}
@media(max-width:30rem){.list :is(th,td):nth-child(5){display:none}}`

export const PLAIN_HASHES: PageHashes = { scripts: [], style: sha256Source(STYLE) }

export function listPage(name: string, requests: readonly RequestSummary[]): string {
  const newest = requests.toSorted((a, b) => b.time - a.time).slice(0, MAX_ROWS)
  const rows = newest.map(formatRequestRow).join('')
  const head = '<tr><th>Status<th>Method<th>Path<th>Handler<th>Duration<th>Time</tr>'
  const table = rows === '' ? '<p>No request has been recorded yet.</p>' : `<table class="list">${head}${rows}</table>`
  return htmlDocument(`Requests of ${name}`, `<h1>Requests of ${escapeHtml(name)}</h1>${table}`)
}

function formatRequestRow(summary: RequestSummary): string {
  const cells = [
    String(summary['http.response.status_code']),
    summary['http.request.method'],
    summary['url.path'],
    summary['code.function.name'] ?? '',
    `${summary['dev.duration']} ms`,
    new Date(summary.time).toISOString().replace('T', ' '),
  ].map((text) => `<td>${escapeHtml(text)}`)
  const link = `<td><a href="${BASE}/requests/${escapeHtml(summary.id)}">${escapeHtml(summary['url.path'])}</a>`
  return `<tr>${cells.with(PATH_COLUMN, link).join('')}</tr>`
}

export function detailPage(record: RequestRecord, slow: number): string {
  const title = `${record['http.request.method']} ${record['url.path']} ${record['http.response.status_code']}`
  const parts = [
    `<p><a href="${BASE}/requests">All requests</a></p><h1>${escapeHtml(title)}</h1>`,
    preElement('What is wrong', findCallOuts(record, slow).map(plainText).join('\n')),
    preElement('Facts', formatFacts(record)),
    preElement('Request', messageText(record.request)),
    preElement('Response', messageText(record.response)),
    preElement('Error', record.error === null ? '' : errorText(record.error)),
    preElement('Validation', record.issues.map(({ where, message }) => `${where}: ${message}`).join('\n')),
    preElement('Calls', record.calls.map(({ name, duration, args }) => `${name}(${args}) ${duration} ms`).join('\n')),
    queryTable(record),
    preElement('Log', record.logs.map(({ level, message }) => `${level} ${message}`).join('\n')),
  ]
  return htmlDocument(title, parts.join(''))
}

function queryTable({ queries, queriesMore }: RequestRecord): string {
  if (queries.length === 0 && queriesMore === 0) return ''
  const head = '<tr><th>Kind<th>Query<th>Parameters<th>Result<th>Duration<th>Sent from</tr>'
  const rows = queries.map(
    (query) =>
      `<tr>${queryCells(query)
        .map((text) => `<td>${escapeHtml(text)}`)
        .join('')}</tr>`,
  )
  const note = queriesMore === 0 ? '' : `<p>${queriesMore} more were counted and not kept.</p>`
  return `<h2>Queries</h2><table>${head}${rows.join('')}</table>${note}`
}

function queryCells({ kind, text, params, rows, status, error, duration, site }: Query): string[] {
  const result = error ?? (status === null ? rows : `status ${status}`)
  return [
    kind,
    text,
    params ?? '',
    String(result ?? ''),
    duration === null ? 'still running' : `${duration} ms`,
    site === null ? '' : `${site.file}:${site.line}`,
  ]
}

export function messagePage(text: string): string {
  return htmlDocument('Console', `<p>${escapeHtml(text)}</p><p><a href="${BASE}/requests">All requests</a></p>`)
}

function formatFacts(record: RequestRecord): string {
  const phases = record['dev.phases'].join(', ') || 'not taken: there were too many requests'
  return [
    `id ${record.id}`,
    `handler ${record['code.function.name'] ?? 'none'}`,
    `template ${record['http.route'] ?? 'none'}`,
    `query ${record['url.query']}`,
    `duration ${record['dev.duration']} ms (phases ${phases})`,
    `flags ${record['dev.flags'].join(', ') || 'none'}`,
  ].join('\n')
}

function messageText({ headers, body }: Message): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  if (body === null) return lines.join('\n')
  return [...lines, '', body.text ?? body.hex ?? body.omitted ?? ''].join('\n')
}

function errorText({ name, message, frames, cause, members }: ErrorDetail): string {
  const places = frames.map((frame) => `    at ${frame.function} ${frame.file}:${frame.line}`)
  const nested = [...(cause === null ? [] : [cause]), ...members].map(errorText)
  return [`${name}: ${message}`, ...places, ...nested].join('\n')
}

function preElement(title: string, text: string): string {
  return text === '' ? '' : `<h2>${title}</h2><pre>${escapeHtml(text)}</pre>`
}

function htmlDocument(title: string, body: string, style: string = STYLE): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">`
  return `<!doctype html><html lang="en"><head>${head}<title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>`
}

/**
 * Script of the sign-in page. It listens to `hashchange`, because opening the link in a tab with this page changes only the fragment and
 * does not reload it. Any other fragment is restored, so that the reloaded page shows the same view. After a sign-in it checks the session,
 * because a browser that blocks cookies would show the sign-in page again without a reason.
 */
const SCRIPT = `const [form] = document.forms
const field = form.elements.token
let deepLink = ''
form.hidden = false
form.addEventListener('submit', (event) => {
  event.preventDefault()
  signIn(tokenIn(field.value) ?? field.value.trim())
})
addEventListener('hashchange', readFragment)
readFragment()
function readFragment() {
  const token = tokenIn(location.hash)
  if (token !== null) return signIn(token)
  deepLink = location.hash
  field.focus()
}
function tokenIn(link) {
  const [, token] = /[#&]token=([^&\\s]+)/.exec(link) ?? []
  if (token === undefined) return null
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}
async function signIn(token) {
  history.replaceState(null, '', location.pathname + location.search + deepLink)
  show(await attempt(token).catch(() => 'The app does not respond. Start it, then sign in again.'))
}
async function attempt(token) {
  const body = JSON.stringify({ token })
  const { ok, status } = await send('${BASE}/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (status === 429) return 'Too many attempts. Wait a second, then sign in again.'
  if (!ok) return 'This token does not open the console. Use the link that the app printed at its last start.'
  const session = await send('${BASE}/api/health')
  if (session.status === 401) return 'The token is correct, but the browser blocks cookies of this site. Allow them, then sign in again.'
  location.reload()
  return 'Signed in.'
}
async function send(url, options) {
  const response = await fetch(url, options)
  await response.arrayBuffer()
  return response
}
function show(text) {
  document.querySelector('p').textContent = text
  field.select()
}`
/** Uses the colors of the console, see `ui/css/tokens.css`. */
const SIGN_IN_STYLE = `:root{color-scheme:light dark;--line:light-dark(#cfd4dc,#343b47);--accent:light-dark(#2f55d4,#8aa6ff);--text:light-dark(#171a20,#e7eaf0)}
body{display:grid;place-items:start center;margin:0;padding:18vh 16px 32px;background:light-dark(#f6f7f9,#0d0f13);color:var(--text);font:14px/1.5 system-ui,sans-serif}
main{box-sizing:border-box;width:min(100%,27rem);padding:28px;border:1px solid var(--line);border-radius:10px;background:light-dark(#fff,#13161b);box-shadow:0 10px 32px light-dark(rgb(16 24 40/8%),rgb(0 0 0/35%))}
h1{display:flex;align-items:center;gap:10px;margin:0 0 12px;font-size:16px}
h1 svg{width:24px;height:24px;border-radius:6px;background:var(--text)}
h1 path{fill:none;stroke:light-dark(#fff,#13161b);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
p{margin:0;color:light-dark(#4a515e,#aeb6c4);overflow-wrap:anywhere}
form:not([hidden]){display:grid;gap:12px;margin-top:20px}
label{display:grid;gap:5px;font-weight:600}
input,button{box-sizing:border-box;width:100%;height:36px;padding:0 12px;border:1px solid var(--line);border-radius:6px;background:none;color:inherit;font:inherit}
button{border-color:transparent;background:var(--accent);color:light-dark(#fff,#0b0f1c);font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
@media(forced-colors:active){button{border-color:ButtonText}}`

export const SIGN_IN_HASHES: PageHashes = { scripts: [sha256Source(SCRIPT)], style: sha256Source(SIGN_IN_STYLE) }
export const SIGN_IN_TEXT = 'The console needs a token. Open the link that the app printed at its start'
/** Hidden without JavaScript, because only the script can send the token. */
const SIGN_IN_FORM =
  '<form hidden><label>Token or link <input name="token" type="password" autocomplete="off" required></label><button>Sign in</button></form>'
/** Logo of the console. */
const LOGO = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m7 8 4 4-4 4m6 0h4"/></svg>'
export const SIGN_IN_PAGE: string = htmlDocument(
  'Console',
  `<main><h1>${LOGO}Console</h1><p role="status">${SIGN_IN_TEXT}, or enter its token.</p>${SIGN_IN_FORM}</main><script>${SCRIPT}</script>`,
  SIGN_IN_STYLE,
)
