/**
 * Writes `llms.txt` (https://llmstxt.org) into the site: title, link and topics of each page of the documentation, as Markdown. The
 * topics come from the table in docs/README.md, or are the first sentence of the page. Runs after typedoc.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, fail, filesBelow } from './tools.mjs'

const { description, homepage } = JSON.parse(read('package.json'))
const { out } = JSON.parse(read('typedoc.json'))
const BASE = `${homepage.replace('https://github.com', 'https://raw.githubusercontent.com').replace(/#.*/, '')}/main`

const FIRST = ['AGENTS.md', 'docs/getting-started.md']
const REFERENCE = ['docs/options.md', 'docs/errors.md', 'docs/lifecycle.md']
const topics = readTopics()
const guides = listPages(/^docs\/guides\/[^/]+\.md$/)
const listed = [...FIRST, ...REFERENCE, ...guides]
const others = listPages(/^docs\/[^/]+\.md$/).filter((path) => path !== 'docs/README.md' && !listed.includes(path))
const types = filesBelow('etc', (path) => path.endsWith('.api.d.ts'))

const SECTIONS = [
  ['Start', FIRST.map(describePage)],
  ['Guides', guides.map(describePage)],
  ['Reference', [...REFERENCE.map(describePage), ...types.map(describeTypes)]],
  ['Optional', others.map(describePage)],
]

if (!existsSync(join(ROOT, out))) fail(`Cannot write llms.txt: ${out} does not exist. Run typedoc first`)
const sections = SECTIONS.map(([title, lines]) => `## ${title}\n\n${lines.join('\n')}\n`)
writeFileSync(join(ROOT, out, 'llms.txt'), [`# Verbena\n\n> ${description}\n`, ...sections].join('\n'))
console.log(`${out}/llms.txt lists ${SECTIONS.flatMap(([, lines]) => lines).length} pages`)

function read(path) {
  return readFileSync(join(ROOT, path), 'utf8')
}

function listPages(pattern) {
  return filesBelow('docs', (path) => pattern.test(path))
}

function describePage(path) {
  const text = read(path).replace(/^```[^]*?^```\n/gm, '')
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  const [, paragraph = ''] = /^(?:# .+\n+)(?:##.*\n+)*([A-Z“`_[][^\n]*(?:\n(?!\n).+)*)/m.exec(text) ?? []
  const sentence = topics.get(path) ?? /^.+?[.:?](?=\s|$)/.exec(toPlainText(paragraph))?.[0]
  if (title === undefined || sentence === undefined) fail(`Cannot list ${path}: it has no title or no first sentence`)
  return `- [${title}](${BASE}/${path}): ${sentence.replace(/[.:]$/, '')}`
}

function describeTypes(path) {
  const entry = path.slice('etc/'.length, -'.api.d.ts'.length)
  if (entry === 'core') return `- [Shared types](${BASE}/${path}): types that several entries use`
  const name = entry === 'index' ? 'verbena' : `verbena/${entry}`
  return `- [Types of ${name}](${BASE}/${path}): the exports with their types`
}

/** Reads the topics of pages from the table: `| [Routes](guides/routes.md) | names and paths |`. */
function readTopics() {
  const rows = read('docs/README.md').matchAll(/^\| \[[^\]]+\]\(([^)#]+\.md)\) *\| ([^|]+?) *\|$/gm)
  return new Map([...rows].map(([, path, text]) => [`docs/${path}`, text]))
}

/** Removes line breaks and the targets of links. */
function toPlainText(markdown) {
  return markdown.replace(/\n/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
