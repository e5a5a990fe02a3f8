/** Reads the tables of options in the documentation. */

export interface OptionRow {
  /** Name of the option with its group, such as `limits.body`. */
  readonly name: string
  /** Default value; `undefined` for a word such as "none". */
  readonly value: string | number | boolean | undefined
}

const ROW = /^\| `(?<name>[\w.]+)` +\| (?<value>[^|]*?) *\|/gm

/**
 * Returns the rows of the tables in a section.
 *
 * @param markdown the page
 * @param heading the heading without `## `
 * @throws Error if the page has no such heading
 */
export function optionRows(markdown: string, heading: string): OptionRow[] {
  const [, below] = markdown.split(`\n## ${heading}\n`)
  if (below === undefined) throw new Error(`Cannot read the options: the page has no heading "${heading}"`)
  const [section = ''] = below.split('\n## ')
  return [...section.matchAll(ROW)].map(({ groups }) => ({
    name: groups?.['name'] ?? '',
    value: literal(groups?.['value'] ?? ''),
  }))
}

function literal(text: string): OptionRow['value'] {
  const code = /^`(.+)`$/.exec(text)?.[1]
  if (code === undefined) return undefined
  const quoted = /^'(.*)'$/.exec(code)?.[1]
  if (quoted !== undefined) return quoted
  return code === 'true' || code === 'false' ? code === 'true' : Number(code.replaceAll('_', ''))
}

/**
 * Converts defaults to rows.
 *
 * @param defaults values and groups of values by name; `undefined` values are skipped
 */
export function defaultRows(defaults: object): OptionRow[] {
  return Object.entries(defaults).flatMap(([name, value]: readonly [string, unknown]) => {
    if (value === undefined) return []
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [{ name, value }]
    if (typeof value !== 'object' || value === null) throw new Error(`Cannot read the default of "${name}"`)
    return defaultRows(value).map((row) => ({ ...row, name: `${name}.${row.name}` }))
  })
}
