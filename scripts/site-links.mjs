/** Checks the links of the site in `docs/api`: pages, anchors, pictures, and files in the repository. Prints the broken links. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT, fail, filesBelow, seconds } from './tools.mjs'

const SITE = 'docs/api'
const REPOSITORY =
  /^https:\/\/(?:github\.com\/verbena-framework\/verbena\/(?:blob|tree)|raw\.githubusercontent\.com\/verbena-framework\/verbena)\/main\/([^#?]*)/
/** Attributes with a link. Tags in code are escaped, so this finds no others. */
const LINKS = /<[a-z]+ [^>]*?\b(?:href|src)="([^"]*)"/g
const IDS = /\bid="([^"]+)"/g

const began = performance.now()
const pages = new Map(filesBelow(SITE, (path) => path.endsWith('.html')).map((path) => [path, readPage(path)]))
const broken = [...pages].flatMap(([path, { links }]) =>
  links.map((link) => ({ path, link, reason: findReason(path, link) })).filter(({ reason }) => reason !== undefined),
)
const checked = [...pages.values()].reduce((sum, { links }) => sum + links.length, 0)

if (checked === 0) fail(`Cannot check links: ${SITE} is empty. Run \`npm run docs\``)
for (const { path, link, reason } of broken) console.error(`${path} links to ${link}: ${reason}`)
if (broken.length > 0) fail(`FAILED  ${broken.length} of ${checked} links are broken`)
console.log(`${checked} links on ${pages.size} pages lead somewhere (${seconds(began)})`)

function readPage(path) {
  const html = readFileSync(join(ROOT, path), 'utf8')
  return {
    links: [...html.matchAll(LINKS)].map(([, link]) => decode(link)),
    ids: new Set([...html.matchAll(IDS)].map(([, id]) => decode(id))),
  }
}

function decode(text) {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
}

/** Returns the reason why a link is broken; `undefined` for a valid link. */
function findReason(from, link) {
  const file = REPOSITORY.exec(link)?.[1]
  if (file !== undefined)
    return findMissing(file) ?? (isPage(file) ? 'it leads to Markdown, not to the page' : undefined)
  if (/^(?:https?|mailto):/.test(link)) return undefined
  const [path, anchor] = link.replace(/\?[^#]*/, '').split('#')
  if (path.endsWith('.md')) return 'it leads to Markdown'
  const target =
    path === '' ? from : posix.join(posix.dirname(from), decodeURI(path), path.endsWith('/') ? 'index.html' : '')
  const page = pages.get(target)
  if (page === undefined) return findMissing(target)
  return anchor === undefined || anchor === '' || page.ids.has(decodeURIComponent(anchor))
    ? undefined
    : `there is no #${anchor}`
}

function findMissing(path) {
  return existsSync(join(ROOT, path)) ? undefined : `${path} does not exist`
}

/** Whether the site has this file of the repository as a page. */
function isPage(file) {
  return file.endsWith('.md') && pages.has(`${SITE}/${file.replace(/^docs\/|\.md$/g, '')}.html`)
}
