/** Pages of the site for examples: the README of each example, followed by the code of the files that it links to. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { ROOT } from '../tools.mjs'

/** Folder of the pages. Their paths below it are the paths of the READMEs. */
export const GENERATED = '.cache/site/'

const REPOSITORY = 'https://github.com/verbena-framework/verbena/blob/main/'
const LINKS = /\]\(([^)\s#]+)(#[^)\s]*)?\)/g
/** Languages of files by extension. A file without an extension is a Containerfile. */
const LANGUAGES = { '': 'docker', '.ts': 'typescript', '.conf': 'nginx', '.sql': 'sql', '.yaml': 'yaml' }

/** Writes the pages of READMEs. */
export function writeExamples(readmes) {
  rmSync(join(ROOT, GENERATED), { recursive: true, force: true })
  for (const readme of readmes) {
    const files = listFiles(readme)
    const path = join(ROOT, GENERATED, readme)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, [linkFiles(readme, files), ...files.map((file) => showFile(readme, file))].join('\n'))
  }
}

/** Returns the anchor of a file on the page of its example; `undefined` if the page does not show it. */
export function findExample(path, readmes) {
  const readme = readmes.find((each) => path.startsWith(`${posix.dirname(each)}/`))
  if (readme === undefined || !listFiles(readme).includes(path)) return undefined
  return { readme, anchor: fileAnchor(readme, path) }
}

/** Lists the files of the example that its README links to. */
function listFiles(readme) {
  const folder = posix.dirname(readme)
  const paths = [...read(readme).matchAll(LINKS)].map(([, link]) => posix.join(folder, link))
  return [...new Set(paths)].filter((path) => isShown(path, folder))
}

function isShown(path, folder) {
  if (!path.startsWith(`${folder}/`) || path.startsWith(`${folder}/test/`)) return false
  return existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile()
}

/** Links to shown files lead to their code. All other relative links lead to the repository, as typedoc would resolve them elsewhere. */
function linkFiles(readme, files) {
  return read(readme).replace(LINKS, (whole, link, anchor = '') => {
    if (/^https?:/.test(link)) return whole
    const path = posix.join(posix.dirname(readme), link)
    return files.includes(path) ? `](#${fileAnchor(readme, path)})` : `](${REPOSITORY}${path}${anchor})`
  })
}

/** Shows a file below a heading with its path in the example. The fence is longer than any in the code. */
function showFile(readme, file) {
  const language = LANGUAGES[extname(file)] ?? ''
  return `## ${posix.relative(posix.dirname(readme), file)}\n\n\`\`\`\`\`${language}\n${read(file)}\`\`\`\`\`\n`
}

/** The anchor that typedoc makes of the heading of a file. */
function fileAnchor(readme, file) {
  return posix
    .relative(posix.dirname(readme), file)
    .toLowerCase()
    .replace(/[^\w-]/g, '')
}

function read(path) {
  return readFileSync(join(ROOT, path), 'utf8')
}
