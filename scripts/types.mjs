/**
 * Checks the types: the entire project and, with `isolatedDeclarations`, `src` with the TypeScript of the build; the tests of
 * types (`test/types/*.test-d.ts`) with each TypeScript in `COMPILERS`.
 */
import { COMPILERS, executable, fail, filesBelow, node, seconds } from './tools.mjs'

const TYPE_TESTS = 'test/types/tsconfig.json'

if (filesBelow('test/types', (file) => file.endsWith('.test-d.ts')).length === 0) {
  fail('Cannot check the tests of types: test/types holds no *.test-d.ts')
}

const others = Object.keys(COMPILERS).filter((version) => COMPILERS[version] !== 'typescript')
/** Code for browsers, which has different globals. */
const IN_BROWSERS = ['console/page/tsconfig.json', 'console/test/tsconfig.json']
const checks = [
  ['6', 'tsconfig.json'],
  ['6', 'tsconfig.build.json'],
  ...IN_BROWSERS.map((project) => ['6', project]),
  ...others.map((version) => [version, TYPE_TESTS]),
]

for (const [version, project] of checks) {
  const begin = performance.now()
  const code = node([executable(COMPILERS[version], 'tsc'), '-p', project, '--noEmit'])
  console.log(`${code === 0 ? 'ok' : 'FAILED'}  TypeScript ${version}  ${project}  ${seconds(begin)}`)
  if (code !== 0) process.exitCode = 1
}
