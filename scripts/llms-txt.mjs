/**
 * Writes `llms.txt` (https://llmstxt.org) into the site: title, link and topics of each page, in the sections of docs/README.md.
 * Links to pages are relative, so they lead to the pages beside `llms.txt`. The topics come from its tables, or are the first sentence of the page. Runs after typedoc.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageName, readSections, readTopics } from './site/sections.mjs'
import { ROOT, fail, filesBelow } from './tools.mjs'

/** Sections for maintainers. The format allows readers to skip a section "Optional". */
const OPTIONAL = 'Project'

const { description, homepage } = JSON.parse(read('package.json'))
const { out } = JSON.parse(read('typedoc.json'))
/** Address of files without a page. */
const BASE = `${homepage.replace('https://github.com', 'https://raw.githubusercontent.com').replace(/#.*/, '')}/main`
const topics = readTopics()
const agents = { title: 'Agents', pages: ['AGENTS.md'] }
const types = filesBelow('etc', (path) => path.endsWith('.api.d.ts')).map(describeTypes)
const sections = [agents, ...readSections()].map(({ title, pages }) => [title, pages.map(describePage)])
const isOptional = ([title]) => title === OPTIONAL
const parts = [
  ...sections.filter((section) => !isOptional(section)),
  ['Types', types],
  ...sections.filter(isOptional).map(([, lines]) => ['Optional', lines]),
]

if (!existsSync(join(ROOT, out))) fail(`Cannot write llms.txt: ${out} does not exist. Run typedoc first`)
const texts = parts.map(([title, lines]) => `## ${title}\n\n${lines.join('\n')}\n`)
writeFileSync(join(ROOT, out, 'llms.txt'), [`# Verbena\n\n> ${description}\n`, ...texts].join('\n'))
console.log(`${out}/llms.txt lists ${parts.flatMap(([, lines]) => lines).length} pages`)

function read(path) {
  return readFileSync(join(ROOT, path), 'utf8')
}

function describePage(path) {
  const text = read(path).replace(/^```[^]*?^```\n/gm, '')
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  const [, paragraph = ''] = /^(?:# .+\n+)(?:##.*\n+)*([A-Z“`_[][^\n]*(?:\n(?!\n).+)*)/m.exec(text) ?? []
  const sentence = topics.get(path) ?? /^.+?[.:?](?=\s|$)/.exec(toPlainText(paragraph))?.[0]
  if (title === undefined) fail(`Cannot list ${path}: it has no title`)
  return `- [${title}](${linkTo(path)})${sentence === undefined ? '' : `: ${sentence.replace(/[.:]$/, '')}`}`
}

/** Returns the link to a document: its page, or its file in the repository if it has no page, such as AGENTS.md. */
function linkTo(path) {
  const page = `${pageName(path)}.html`
  return existsSync(join(ROOT, out, page)) ? page : `${BASE}/${path}`
}

function describeTypes(path) {
  const entry = path.slice('etc/'.length, -'.api.d.ts'.length)
  if (entry === 'core') return `- [Shared types](${BASE}/${path}): types that several entries use`
  const name = entry === 'index' ? 'verbena' : `verbena/${entry}`
  return `- [Types of ${name}](${BASE}/${path}): the exports with their types`
}

/** Removes line breaks and the targets of links. */
function toPlainText(markdown) {
  return markdown.replace(/\n/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
