/** Search in the documentation of the installed package: sections of its Markdown pages, by words and headings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../command.js'
import { findOwnFolder } from '../own-manifest.js'
import { valueOr } from '../../values/value-or.js'
import { readArgument, type Tool } from './tool.js'

const FOLDERS = ['docs', 'docs/guides', 'docs/how-to']
const HEADING = /^(#{1,3}) (.+)$/
/** Maximum number of words of a query, and of listed sections. */
const [MAX_WORDS, MAX_FOUND] = [16, 10]
/** Maximum number of uses of a word that count. */
const MAX_USES = 4
const WEIGHTS = { heading: 8, page: 4 } as const

/** A section of a page, without the sections below it. */
interface PageSection {
  /** Path and anchor, such as `docs/guides/errors.md#own-error-format`. */
  readonly id: string
  readonly file: string
  /** Heading of the page. */
  readonly page: string
  readonly heading: string
  readonly text: string
}

export const documentation: Tool = {
  name: 'documentation',
  description:
    'Searches the documentation of the installed version of Verbena. Returns the best section and the ids of others. Use it before you write code.',
  args: {
    query: { type: 'string', description: 'Words, such as "upload file size limit"' },
    section: {
      type: 'string',
      description: 'Instead of a query: an id such as docs/guides/errors.md#setup-errors, or a file',
    },
  },
  required: [],
  isReadOnly: true,
  narrow: '',
  run: async (args) => readDocumentation(findOwnFolder(), readArgument(args, 'query'), readArgument(args, 'section')),
}

/** Returns a section or a page, or else the result of a search. */
export function readDocumentation(folder: string, query: string, section: string): string {
  const sections = readSections(folder)
  if (sections.length === 0)
    throw new CommandError(`Cannot read the documentation: "${folder}" contains no page. Install "verbena" again`)
  return section === '' ? search(sections, query) : readSection(sections, section)
}

function readSection(sections: readonly PageSection[], wanted: string): string {
  const foundSections = sections.filter(({ id, file }) => id === wanted || file === wanted)
  if (foundSections.length > 0) return foundSections.map(({ text }) => text).join('\n')
  throw new CommandError(`Cannot find the section "${wanted}" in the documentation: search for words with "query"`)
}

function search(sections: readonly PageSection[], query: string): string {
  const words = [...new Set(toWords(query).split(' ').filter(Boolean))].slice(0, MAX_WORDS).map(toStem)
  if (words.length === 0) throw new CommandError('Cannot search the documentation: "query" must contain words')
  const foundSections = rankSections(sections, words).slice(0, MAX_FOUND)
  const [best] = foundSections
  if (best === undefined) return `No section contains a word of "${words.join(' ')}"`
  const list = foundSections.map(
    ({ id, page, heading }) => `- ${id}: ${page === heading ? page : `${page}, ${heading}`}`,
  )
  return ['Sections, best first. Call again with "section" to read one.', '', ...list, '', best.text].join('\n')
}

/** Returns the sections that contain a word, best first. Rare words weigh more, and so do sections that contain all words. */
function rankSections(sections: readonly PageSection[], words: readonly string[]): PageSection[] {
  const texts = sections.map(({ page, heading, text }) => ({
    page: toWords(page),
    heading: toWords(heading),
    text: toWords(text),
  }))
  const weights = words.map((word) => {
    return Math.log(1 + sections.length / (1 + texts.filter(({ text }) => text.includes(` ${word}`)).length))
  })
  const scores = texts.map(({ page, heading, text }) => {
    const points = words.map((word, at) => {
      const isIn = (title: string): number => Number(title.includes(` ${word}`))
      const uses = Math.min(MAX_USES, text.split(` ${word}`).length - 1)
      return Number(weights[at]) * (uses + WEIGHTS.heading * isIn(heading) + WEIGHTS.page * isIn(page))
    })
    const share = points.filter((each) => each > 0).length / words.length
    return share * points.reduce((sum, each) => sum + each, 0)
  })
  return sections
    .map((section, at) => ({ section, score: Number(scores[at]) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ section }) => section)
}

/** Returns the words of a string in lower case, with a space before each. */
function toWords(text: string): string {
  return ` ${text.toLowerCase().replace(/[^\p{L}\p{N}_$]+/gu, ' ')}`
}

/** Finds `guard` with `guards`. */
function toStem(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word
}

function readSections(folder: string): PageSection[] {
  const pages = FOLDERS.flatMap((path) => {
    const names = valueOr(() => readdirSync(join(folder, path)), [])
    return names.filter((name) => name.endsWith('.md')).map((name) => `${path}/${name}`)
  })
  return [...pages.toSorted(), 'AGENTS.md'].flatMap((file) => {
    return splitSections(
      file,
      valueOr(() => readFileSync(join(folder, file), 'utf8'), ''),
    )
  })
}

/** Splits a page at its headings of levels 1 to 3, outside of code blocks. */
function splitSections(file: string, markdown: string): PageSection[] {
  const sections: { heading: string; lines: string[] }[] = []
  let isCode = false
  for (const line of markdown.split(/\r?\n/)) {
    if (line.startsWith('```')) isCode = !isCode
    const [, , heading] = (isCode ? null : HEADING.exec(line)) ?? []
    if (heading !== undefined) sections.push({ heading: heading.replaceAll('`', ''), lines: [] })
    sections.at(-1)?.lines.push(line)
  }
  return sections.map(({ heading, lines }) => ({
    ...{ id: `${file}#${toAnchor(heading)}`, file, page: String(sections[0]?.heading) },
    ...{ heading, text: lines.join('\n').trimEnd() },
  }))
}

/** The anchor of a heading on GitHub. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}
