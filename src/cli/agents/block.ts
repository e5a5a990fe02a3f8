/** The block for coding agents. It is read from the documents of the installed package, so that it cannot differ from them. */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { attempt, CommandError } from '../command.js'
import { findOwnFolder, readOwnManifest, type OwnManifest } from '../own-manifest.js'
import { formatMarker } from './markers.js'

export interface Block {
  readonly version: string
  /** Lines with their markers, separated by LF, without a line end after the last one. */
  readonly text: string
  /** Number of mistakes and of pages that it lists. */
  readonly mistakes: number
  readonly pages: number
}

/** Folders of the pages. */
const FOLDERS = ['', 'how-to/', 'guides/']
/** A file of the package, and the folder of its pages. */
const RULES = 'AGENTS.md'
const DOCS = 'docs/'

/** Maximum length of a title with the headings that explain it. Longer ones would exceed 8 kB. */
const MAX_TITLE_LENGTH = 44
/** Headings that explain no page. */
const GENERAL = new Set(['Next', 'Options', 'See also'])

/** Returns the block of the installed version, or of a package in another folder. */
export function createBlock(
  folder: string = findOwnFolder(),
  { version, files }: Pick<OwnManifest, 'version' | 'files'> = readOwnManifest(),
): Block {
  return attempt('Cannot read the documents of Verbena. Install it again: ', () => {
    const rules = readFileSync(join(folder, RULES), 'utf8')
    const mistakes = findSection(rules, 'Ten mistakes').split('\n')
    const pages = listPages(folder, files)
    const text = `${formatMarker(version, 'begin')}

## Verbena

${rules.split('\n\n').slice(1, 2).join('')}

Write code for the installed version, not from memory: first read the page of the task.

### Mistakes, and the correct code

${mistakes.filter(isContent).map(formatMistake).join('\n').trim()}

### Check your work

${findSection(rules, 'Check your work').split('\n\n', 1).join('')}

### Pages in node_modules/verbena/docs

${pages.join('\n')}

${formatMarker(version, 'end')}`
    return { version, text, mistakes: mistakes.filter(isMistake).length, pages: pages.length }
  })
}

function findSection(text: string, name: string): string {
  const [, section] = text.split(`\n## ${name}\n`)
  if (section === undefined) throw new CommandError(`the section "${name}" of ${RULES} is missing`)
  return section.split('\n## ', 1).join('').trim()
}

/** Whether a line is not part of the head of a table. */
function isContent(line: string): boolean {
  return isMistake(line) || !line.startsWith('|')
}

/** Whether a line is a row of the table: `| 1 | mistake | correct |`. */
function isMistake(line: string): boolean {
  return /^\| \d/.test(line)
}

/** Formats a row as an item of a list, which is a third shorter. Returns all other lines. */
function formatMistake(line: string): string {
  if (!isMistake(line)) return line
  const [, , mistake, correct] = line.split('|').map((cell) => cell.trim())
  return `- ${mistake} → ${correct}`
}

function listPages(folder: string, files: readonly string[]): string[] {
  return FOLDERS.flatMap((below) => {
    const names = readdirSync(join(folder, DOCS, below)).toSorted()
    const packed = names.filter((name) => isPacked(`${DOCS}${below}${name}`, files))
    return packed.map((name) => `- ${below}${name}: ${readTitle(join(folder, DOCS, below, name))}`)
  })
}

/** Whether npm packs a page. A linked checkout also contains other pages. */
function isPacked(path: string, files: readonly string[]): boolean {
  const isExcluded = files.some((pattern) => pattern.startsWith('!') && matches(path, pattern.slice(1)))
  return !isExcluded && files.some((pattern) => matches(path, pattern))
}

/** Whether a pattern, with at most one `*`, matches the path of a page. */
function matches(path: string, pattern: string): boolean {
  const star = pattern.indexOf('*')
  if (star === -1) return path === pattern
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)]
  return path.startsWith(start) && path.endsWith(end) && !path.slice(star).includes('/')
}

/** Returns the title of a page. If it only repeats the name of the file, its first headings follow. */
function readTitle(path: string): string {
  const lines = readFileSync(path, 'utf8').split('\n')
  const title = lines.slice(0, 1).join('').replace('# ', '')
  if (title.toLowerCase().replaceAll(' ', '-') !== basename(path, '.md')) return title
  const headings = lines.filter((line) => line.startsWith('## ')).map((line) => line.slice('## '.length))
  return headings.reduce((text, heading) => {
    const longer = `${text}${text === title ? ': ' : ', '}${heading}`
    return GENERAL.has(heading) || longer.length > MAX_TITLE_LENGTH ? text : longer
  }, title)
}
