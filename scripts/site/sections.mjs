/** Sections of the site: the headings of docs/README.md, each with the pages that it links to. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT, filesBelow } from '../tools.mjs'

export const OVERVIEW = 'docs/README.md'

/** Pages outside of `docs`. */
export const ROOT_PAGES = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

/** Lists the READMEs of the examples that are pages of the site. */
export function listExamples(overview = readFileSync(join(ROOT, OVERVIEW), 'utf8')) {
  return [...overview.matchAll(/\]\(\.\.\/(examples\/[\w-]+\/README\.md)\)/g)].map(([, path]) => path)
}

/** Lists the pages of the site except for its first one. */
export function listPages() {
  const pages = filesBelow('docs', (path) => path.endsWith('.md') && !/^docs\/(?:api|site)\//.test(path))
  return [...pages, ...listExamples(), ...ROOT_PAGES]
}

/** Returns the path of a page on the site, without its extension. */
export function pageName(path) {
  if (path === OVERVIEW) return 'overview'
  return path
    .replace(/^docs\/|(?<=^examples\/.+)\/README\.md$|\.md$/g, '')
    .replace(/^[A-Z]+$/, (name) => name.toLowerCase())
}

/** Returns the sections with the paths of their pages. Throws if a page is in no section. */
export function readSections(overview = readFileSync(join(ROOT, OVERVIEW), 'utf8'), pages = listPages()) {
  const [, ...parts] = overview.split(/^## /m)
  const sections = parts.map((part) => ({ title: part.split('\n', 1)[0], pages: linkedPages(part, pages) }))
  const listed = new Set(sections.flatMap((section) => section.pages))
  const missing = pages.filter((page) => !listed.has(page) && page !== OVERVIEW)
  if (missing.length > 0) throw new Error(`Cannot order the site: ${OVERVIEW} does not link to ${missing.join(', ')}`)
  return sections
}

/** Returns the topics of the pages, from the tables of docs/README.md. */
export function readTopics(overview = readFileSync(join(ROOT, OVERVIEW), 'utf8')) {
  const rows = overview.matchAll(/^\| \[[^\]]+\]\(([^)#\s]+)\) +\| (.+?) +\|$/gm)
  return new Map([...rows].map(([, link, topics]) => [posix.join('docs', link), topics]))
}

function linkedPages(part, pages) {
  const links = [...part.matchAll(/\]\(([^)#\s]+\.md)\)/g)].map(([, link]) => posix.join('docs', link))
  const unknown = links.find((link) => !pages.includes(link))
  if (unknown !== undefined) throw new Error(`Cannot order the site: ${OVERVIEW} links to ${unknown}, which is no page`)
  return [...new Set(links)]
}
