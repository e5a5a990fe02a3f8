/** What the scripts share: the root of the repository and how its tools are run, each from there and by this very `node`. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Where scripts keep what may be thrown away; git does not see it. */
export const CACHE = join(ROOT, '.cache')

/**
 * The compilers that check the types: `npm` aliases beside the one that builds. `.bin/tsc` is any of them, so each is
 * called by its own path.
 */
export const COMPILERS = { 5.9: 'typescript-5.9', 6: 'typescript', 7: 'typescript-7' }

/** The executable of an installed package, by its `bin` field. */
export function executable(packageName, name = packageName) {
  const folder = join(ROOT, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

/** The path of Chromium: what `CHROMIUM_BIN` names, or where distributions put it. Ends the process where there is none. */
export function chromiumPath() {
  const named = process.env.CHROMIUM_BIN
  const places = named ? [named] : ['/usr/bin/chromium', '/usr/bin/chromium-browser']
  const state = `Cannot start Chromium: there is none at ${places.join(' or ')}`
  return (
    places.find((place) => existsSync(place)) ??
    fail(`${state}. Run \`apt-get install -y chromium\`, or name it in CHROMIUM_BIN`)
  )
}

/** Runs `node` with these arguments; the output goes where ours goes. Gives the exit code. */
export function node(args, options = {}) {
  return exitCode(spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], ...options }))
}

/** Runs a program and keeps what it prints. Gives the exit code and both streams as one text. */
export function capture(program, args, options = {}) {
  const result = spawnSync(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    ...options,
  })
  return { code: exitCode(result), output: result.stdout + result.stderr, stdout: result.stdout }
}

/** Files below a folder of the repository whose relative path holds the test; `/` between names, sorted. */
export function filesBelow(folder, accept) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .filter(accept)
    .toSorted()
}

/** The lines in which `node:test` sums up a run. */
export function closingLines(output) {
  return output
    .split('\n')
    .filter((line) => /^(?:ℹ|#) (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(line))
    .join('\n')
}

/** Ends the script with a text on stderr. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

/** Seconds since a `performance.now()`, for people. */
export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

function exitCode({ status, signal, error }) {
  if (error) throw error
  if (signal) console.error(`Ended by ${signal}`)
  return status ?? 1
}
