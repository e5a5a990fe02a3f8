/** Reads docs/guides/proxies.md. */
import { readFileSync } from 'node:fs'

const GUIDE = readFileSync(new URL('../../../docs/guides/proxies.md', import.meta.url), 'utf8')

export type Row = Readonly<Record<string, string>>

function readSection(heading: string): string {
  return GUIDE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}

/** Reads the table below a heading: the cells of each row by the titles of their columns, by the first cell. */
export function readTable(heading: string): ReadonlyMap<string, Row> {
  const [titles = [], , ...rows] = readSection(heading)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const cellsOf = (cells: readonly string[]): Row =>
    Object.fromEntries(titles.map((title, at) => [title, cells[at] ?? '']))
  return new Map(rows.map((cells) => [cells[0] ?? '', cellsOf(cells)]))
}

/** Reads the code block below a heading whose first line is a comment with the name of a proxy. */
export function readCode(heading: string, proxy: string): string {
  const code = readSection(heading).split(`\n# ${proxy}\n`)[1]?.split('\n```')[0]
  if (code === undefined) throw new Error(`Cannot find the settings of ${proxy} below "${heading}"`)
  return code
}
