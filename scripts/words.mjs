/**
 * Counts habits of wording in comments, test titles, messages, names and documents, and fails if a folder has more of them than
 * its ceiling in `scripts/words.json`. Ceilings may only fall; a new folder has 0. The rules are in docs/contributing/voice.md.
 *
 *   npm run words                              counts, and compares with the ceilings
 *   npm run words -- --list 20 src/http        also prints the worst texts of a folder
 *   npm run words -- --update                  lowers the ceilings to what is there
 *   npm run words -- --sample 10 --seed 3      prints texts drawn at random, to be read aloud
 *   npm run words -- --commits v0.1.0..HEAD    also counts commit subjects
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findHabits } from './words/habits.mjs'
import { countWords, readTexts } from './words/read-source.mjs'

const CEILINGS = 'scripts/words.json'
const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
const PATHS = [
  'src',
  'test',
  'console',
  'scripts',
  'bench',
  'codemods',
  'examples',
  'docs/coming-from',
  'docs/contributing',
  'docs/decisions',
  'docs/guides',
  'docs/how-to',
  ...DOCUMENTS,
]
const KINDS = ['comments', 'titles', 'messages', 'names', 'docs', 'commits']
const SKIPPED = /^(?:\.cache|node_modules|fixtures|generated|golden|results|snapshots)$/

const { values: flags, positionals } = parseArgs({
  options: {
    list: { type: 'string', default: '0' },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    commits: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const isWhole = positionals.length === 0

const files = (isWhole ? PATHS : positionals).flatMap(listFiles)
const texts = [...files.flatMap(readTexts), ...readCommits(flags.commits)].flatMap(([kind, entries]) =>
  entries.map((entry) => ({ ...entry, kind, habits: findHabits(kind, entry) })),
)
const rows = countByFolder(texts)
printTable(rows)
printWorst(Number(flags.list))
printSample(Number(flags.sample), Number(flags.seed))
if (isWhole && flags.update) writeFileSync(CEILINGS, `${JSON.stringify(Object.fromEntries(ceilings()), null, 2)}\n`)
else if (isWhole) failAboveCeilings()

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap(({ name }) =>
    SKIPPED.test(name) ? [] : listFiles(`${path.replace(/\/$/, '')}/${name}`),
  )
}

function readCommits(range) {
  if (range === undefined) return []
  const output = execFileSync('git', ['log', '--format=%h\t%s', range], { encoding: 'utf8', maxBuffer: 1 << 26 })
  const lines = output.split('\n').filter((line) => line !== '')
  return [['commits', lines.map((line) => line.split('\t')).map(([file, text]) => ({ file, line: 0, text }))]]
}

/** `src/http`, `src/features/auth`, `README.md`; all commits are one folder. */
function folderName({ kind, file }) {
  if (kind === 'commits') return 'commits'
  const folders = file.split('/').slice(0, -1)
  if (folders.length === 0) return file
  return folders.slice(0, folders[1] === 'features' ? 3 : 2).join('/')
}

/** Counts texts, and those with a habit, by kind and folder; the row `total` is their sum. */
function countByFolder(all) {
  const counts = new Map()
  for (const entry of all) {
    for (const folder of [folderName(entry), 'total']) {
      const key = `${entry.kind} ${folder}`
      const row = counts.get(key) ?? { kind: entry.kind, folder, texts: 0, habits: 0 }
      row.texts++
      if (entry.habits.length > 0) row.habits++
      counts.set(key, row)
    }
  }
  const rank = ({ kind, folder }) => `${KINDS.indexOf(kind)}${folder === 'total' ? '~' : folder}`
  return [...counts.values()].toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
}

function printTable(counts) {
  console.log('| kind     | folder                    | texts | with a habit |  share |')
  console.log('| -------- | ------------------------- | ----: | -----------: | -----: |')
  for (const { kind, folder, texts: count, habits } of counts) {
    if (habits === 0 && folder !== 'total') continue
    const share = `${((100 * habits) / count).toFixed(1)} %`
    const cells = [kind.padEnd(8), folder.padEnd(25), String(count).padStart(5), String(habits).padStart(12)]
    console.log(`| ${cells.join(' | ')} | ${share.padStart(6)} |`)
  }
}

function printWorst(count) {
  const density = ({ habits, text }) => habits.length / (8 + countWords(text))
  const worst = texts.filter(({ habits }) => habits.length > 0).toSorted((one, other) => density(other) - density(one))
  for (const { kind, file, line, text, habits } of worst.slice(0, count)) {
    console.log(`\n${file}:${line}  ${kind}\n  ${text.slice(0, 220)}\n  -> ${[...new Set(habits)].join('; ')}`)
  }
}

/** Prints some texts of each kind, chosen by the seed alone. */
function printSample(count, seed) {
  let state = seed >>> 0 || 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  for (const kind of count > 0 ? KINDS : []) {
    const pool = texts.filter((entry) => entry.kind === kind && !entry.file.startsWith('console/page/'))
    for (let left = Math.min(count, pool.length); left > 0; left--) {
      const [{ file, line, text }] = pool.splice(Math.floor(random() * pool.length), 1)
      console.log(`${kind}\t${file}:${line}\t${text}`)
    }
  }
}

function ceilings() {
  return rows
    .filter(({ kind, folder }) => kind !== 'commits' && folder !== 'total')
    .map(({ kind, folder, habits }) => [`${kind} ${folder}`, habits])
    .filter(([, habits]) => habits > 0)
}

function failAboveCeilings() {
  const allowed = JSON.parse(readFileSync(CEILINGS, 'utf8'))
  const above = ceilings().filter(([key, habits]) => habits > (allowed[key] ?? 0))
  for (const [key, habits] of above) {
    console.error(
      `${key}: ${habits} texts have a habit, at most ${allowed[key] ?? 0} may. See docs/contributing/voice.md`,
    )
  }
  if (above.length > 0) process.exitCode = 1
}
