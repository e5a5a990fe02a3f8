/**
 * Checks that a published tarball is the source of its tag: builds the package from the tag, and compares all files.
 *
 *   npm run package -- --compare <tarball> [--ref <commit>]
 *
 * Without `--ref`, the tag is `v` with the version in the tarball. Installs the packages of that commit from the registry.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CACHE, capture, fail } from './tools.mjs'

const FOLDER = join(CACHE, `compared-${process.pid}`)
const SOURCE = join(FOLDER, 'source')

/**
 * Compares a tarball with a build of a commit. Ends the process with code 1 if a file differs.
 *
 * @param {string} tarball path of the published file
 * @param {string} [ref] commit, instead of the tag of the version
 */
export function compare(tarball, ref) {
  const path = resolve(tarball)
  if (!existsSync(path)) fail(`Cannot compare ${tarball}: there is no such file`)
  mkdirSync(FOLDER, { recursive: true })
  process.once('exit', cleanUp)
  const published = unpack(path, 'published')
  const commit = ref ?? `v${JSON.parse(readFileSync(join(FOLDER, 'published/package.json'), 'utf8')).version}`
  const built = unpack(pack(commit), 'built')
  const differences = [...new Set([...published.keys(), ...built.keys()])]
    .toSorted()
    .filter((file) => published.get(file) !== built.get(file))
    .map((file) => `  ${file}: ${describe(published.has(file), built.has(file))}`)
  if (differences.length > 0) fail(`${tarball} differs from ${commit}:\n${differences.join('\n')}`)
  console.log(`${tarball} is ${commit}: ${built.size} files are equal byte for byte`)
}

function cleanUp() {
  capture('git', ['worktree', 'remove', '--force', SOURCE])
  rmSync(FOLDER, { recursive: true, force: true })
}

/** Packs a commit in a separate worktree. Returns the path of the tarball. */
function pack(commit) {
  run('git', ['worktree', 'add', '--detach', SOURCE, commit])
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: SOURCE })
  run(process.execPath, ['scripts/build.mjs'], { cwd: SOURCE })
  const args = ['pack', '--json', '--ignore-scripts', `--pack-destination=${FOLDER}`]
  const [{ filename }] = JSON.parse(run('npm', args, { cwd: SOURCE }))
  return join(FOLDER, filename)
}

/** Unpacks a tarball. Returns the hash and the mode of each file by its path. */
function unpack(tarball, name) {
  const folder = join(FOLDER, name)
  mkdirSync(folder)
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder])
  const paths = readdirSync(folder, { recursive: true }).filter((path) => statSync(join(folder, path)).isFile())
  return new Map(paths.map((path) => [path, describeContent(join(folder, path))]))
}

function describeContent(path) {
  const isExecutable = (statSync(path).mode & 0o111) !== 0
  return `${createHash('sha256').update(readFileSync(path)).digest('hex')} ${isExecutable}`
}

function describe(isPublished, isBuilt) {
  if (!isBuilt) return 'the build does not write it'
  return isPublished ? 'content or mode differs' : 'the tarball does not contain it'
}

function run(program, args, options) {
  const { code, output, stdout } = capture(program, args, options)
  if (code !== 0) fail(`Cannot compare: ${program} ${args.join(' ')} failed\n${output}`)
  return stdout
}
