/**
 * Measures the cost of the types for the compiler in a large program: 200 classes with 400 endpoints, a guard in their base
 * class, zod schemas and inline services; and the same with 100 calls of the typed client. Fails if TypeScript 6 counts more
 * instantiations than `BUDGETS`, apart from those of the package's source, which a user's compiler does not check. Also prints the counts of the other compilers and of parts of the program. Excludes the
 * declarations of libraries (`skipLibCheck`): zod alone has 169,000 instantiations.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE, capture, COMPILERS, executable } from './tools.mjs'

const BUDGETS = { server: 340_000, client: 479_000 }
const CLASSES = 200
const CALLS = 100
const FOLDER = join(CACHE, 'types-scale')

const numbers = Array.from({ length: CLASSES }, (_, index) => index)

const WHAT = {
  server: `${CLASSES} classes, ${CLASSES * 2} endpoints`,
  client: `the same, with ${CALLS} calls of the client`,
}

const PROGRAMS = {
  server: `${header()}${numbers.map(schemaAndClass).join('')}${app()}`,
  client: `${clientHeader()}${numbers.slice(0, CALLS).map(clientCall).join('')}}\n`,
  schemas: `import * as z from 'zod'\n${numbers.map(schemaAndValues).join('')}`,
  package: `export { createApp } from 'verbena'\n`,
}

mkdirSync(FOLDER, { recursive: true })
for (const [name, text] of Object.entries(PROGRAMS)) write(name, text)

const [gate] = Object.keys(COMPILERS).filter((version) => COMPILERS[version] === 'typescript')
const costs = Object.keys(BUDGETS).map((program) => [program, report(gate, program, WHAT[program])])
report(gate, 'schemas', 'their schemas alone, input and output')
const source = report(gate, 'package', 'the source of the package alone')
for (const version of Object.keys(COMPILERS).filter((version) => version !== gate)) {
  for (const program of Object.keys(BUDGETS)) report(version, program, WHAT[program])
}

for (const [program, total] of costs) {
  const cost = total - source
  const state = `${program}: ${figure(cost)} instantiations, ${figure(BUDGETS[program])} allowed`
  console.log(cost <= BUDGETS[program] ? `ok  ${state}` : `FAILED  ${state}`)
  if (!(cost <= BUDGETS[program])) process.exitCode = 1
}

function header() {
  return `import { bearer, createApp, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'
const user = bearer((token) => ({ id: token }))
abstract class Base extends Route<{ db: { find(id: string): Promise<string> } }> {
  static readonly uses = { user }
}
`
}

function schemaOf(number) {
  return `const I${number} = z.object({ id: z.string(), a${number}: z.number(), b: z.boolean().optional() })\n`
}

function schemaAndClass(number) {
  const name = `Thing${number}Items`
  return `${schemaOf(number)}class ${name} extends Base {
  static readonly path = '/t${number}/{id}'
  static readonly get = this.contract({ query: z.object({ limit: z.number().optional() }), returns: I${number} })
  async get({ params, query, user }: Input<typeof ${name}.get>): Result<typeof ${name}.get> {
    return { id: params.id + user.id + (await this.db.find('x')), a${number}: query.limit ?? 0 }
  }
  static readonly put = this.contract({ body: I${number}, returns: { 200: I${number}, 404: null } })
  async put({ body, params }: Input<typeof ${name}.put>) {
    void params
    void body
    return null as never
  }
}
`
}

function app() {
  const names = numbers.map((number) => `Thing${number}Items`).join(', ')
  const services = `{ db: { find: async (s) => s.toUpperCase() }, extra: 1 }`
  return `export const app = createApp({ services: ${services}, routes: { ${names} } })\n`
}

function clientHeader() {
  return `import { createClient } from 'verbena/client'
import type { app } from './server.js'
const api = createClient<typeof app>('http://localhost')
export async function go() {
`
}

function clientCall(number) {
  return `  {
    const answer = await api('/t${number}/{id}').get({ params: { id: 'a' } })
    if (answer.ok) {
      const value: number = answer.body.a${number}
      void value
    }
  }
`
}

function schemaAndValues(number) {
  return `${schemaOf(number)}const Q${number} = z.object({ limit: z.number().optional() })
export const i${number}: z.input<typeof I${number}> = { id: '', a${number}: 1 }
export const o${number}: z.output<typeof I${number}> = { id: '', a${number}: 1 }
export const q${number}: z.output<typeof Q${number}> = {}
`
}

function write(name, text) {
  writeFileSync(join(FOLDER, `${name}.ts`), text)
  const compilerOptions = { skipLibCheck: true, noEmit: true }
  const config = { extends: '../../tsconfig.json', compilerOptions, files: [`${name}.ts`], include: [], exclude: [] }
  writeFileSync(join(FOLDER, `tsconfig.${name}.json`), JSON.stringify(config, null, 2))
}

function report(version, name, what) {
  const project = join(FOLDER, `tsconfig.${name}.json`)
  const args = [executable(COMPILERS[version], 'tsc'), '-p', project, '--extendedDiagnostics', '--pretty', 'false']
  const { code, output } = capture(process.execPath, args)
  const errors = output.split('\n').filter((line) => line.includes(': error TS'))
  if (code !== 0) {
    console.log(errors.slice(0, 5).join('\n') || output)
    process.exitCode = 1
  }
  const instantiations = Number(/^Instantiations:\s+([\d,]+)/m.exec(output)?.[1]?.replaceAll(',', ''))
  const seconds = /^Check time:\s+(\S+)/m.exec(output)?.[1]
  console.log(`TypeScript ${version.padEnd(3)}  ${figure(instantiations).padStart(7)}  ${seconds}  ${what}`)
  return instantiations
}

function figure(number) {
  return number.toLocaleString('en')
}
