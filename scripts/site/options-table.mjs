/** The table of options on the page of `AppOptions`: the table of docs/options.md, with a guide in each row. */

/** Guides of options that docs/options.md describes without a link, by the start of their names. */
const GUIDES = [
  ['name', 'docs/guides/openapi.md'],
  ['versioning', 'docs/guides/versioning.md'],
  ['version', 'docs/guides/versioning.md'],
  ['redact', 'docs/guides/logging.md'],
  ['limits', 'docs/guides/limits.md'],
  ['timeouts', 'docs/guides/limits.md'],
  ['trustProxy', 'docs/guides/limits.md'],
  ['validateResponses', 'docs/guides/contracts.md'],
  ['openapi', 'docs/guides/openapi.md'],
  ['signals', 'docs/guides/shutdown.md'],
]

/**
 * Returns the first table of a page. Throws if an option has no guide.
 *
 * @param parts content of the page, as typedoc has parsed it
 * @param linkTo returns the parts of a link to a page
 */
export function optionsTable(parts, linkTo) {
  const lines = splitLines(parts)
  const begin = lines.findIndex((line) => joinText(line).startsWith('|'))
  const end = lines.findIndex((line, index) => index > begin && joinText(line) === '')
  return lines.slice(begin, end).flatMap((line, index) => {
    const isLinked = index < 2 || line.some(({ kind }) => kind === 'relative-link')
    return [text('\n'), ...(isLinked ? line : withGuide(line, linkTo))]
  })
}

function withGuide(line, linkTo) {
  const name = /`([^`]+)`/.exec(joinText(line))[1]
  const guide = GUIDES.find(([start]) => name.startsWith(start))?.[1]
  if (guide === undefined) throw new Error(`Cannot show the option "${name}": it has no guide in docs/options.md`)
  const last = line.at(-1)
  return [...line.slice(0, -1), text(last.text.replace(/ *\|$/, ' See ')), ...linkTo(guide), text('. |')]
}

function splitLines(parts) {
  const lines = [[]]
  for (const part of parts) {
    const [first, ...others] = part.text.split('\n')
    lines.at(-1).push({ ...part, text: first })
    for (const other of others) lines.push([{ ...part, text: other }])
  }
  return lines
}

function joinText(parts) {
  return parts.map((part) => part.text).join('')
}

function text(content) {
  return { kind: 'text', text: content }
}
