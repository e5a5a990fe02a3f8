// Measures the router: `node --import tsx scripts/bench-router.mjs`. Prints nanoseconds for one lookup (match and reading
// the parameters) with 10 to 10,000 routes and fails when the cost grows with their number.
//
// Every size is asked for the same number of routes and paths, spread over its whole table, so that what is compared is
// the router and not how many routes are in the processor's cache. Each path is a fresh string, as on a server (its hash
// is not known yet), made before the clock starts. The sizes take turns and the fastest round counts: noise only adds.
import { match, readParams } from '../src/router/match.ts'
import { createRouter, insert } from '../src/router/router.ts'
import { parseTemplate } from '../src/router/template.ts'

const SIZES = [10, 100, 1_000, 10_000]
const KINDS = ['static', '1 parameter', '2 parameters', 'wildcard', 'miss']
const ROUTES_A_KIND = 2
const PATHS_A_KIND = 20
const COPIES = 5
const ROUNDS = 1_500
const LIMIT = 1.25

// Eight letters, different for each number and equally spread for every size.
function word(number) {
  let rest = Math.imul(number + 1, 0x9e3779b1) >>> 0
  let text = ''
  for (let at = 0; at < 4; at++) {
    text += 'bcdfghklmnprstvz'[rest & 15] + 'aeiou'[(rest >>> 4) % 5]
    rest = (rest >>> 7) ^ Math.imul(rest, 31)
  }
  return text
}

// The shapes are those of GitHub's API: few first segments, most templates below two parameters.
function templateOf(number) {
  const name = word(number)
  const shapes = [
    `/${name}/${word(number >> 4)}`,
    `/users/{user}/${name}`,
    `/repos/{owner}/{repo}/${name}`,
    `/${name}/{id}`,
    `/repos/{owner}/{repo}/${name}/${word(number + 7)}`,
    `/files/${name}/{rest...}`,
  ]
  return shapes[number % shapes.length]
}

function kindOf(template) {
  if (template.includes('...')) return 'wildcard'
  const parameters = template.split('{').length - 1
  return ['static', '1 parameter', '2 parameters'][parameters]
}

function pathFor(template, number) {
  return template.replace('{rest...}', `src/lib/file${number}.ts`).replaceAll(/\{\w+\}/g, () => `octocat${number}`)
}

// Misses have a wrong word at the end, below two parameters: they cost the most.
function missFor(template, number) {
  return `${pathFor(template, number).slice(0, -3)}xyz`
}

function pathsOf(templates, kind) {
  const all = templates.filter((template) => kindOf(template) === (kind === 'miss' ? '2 parameters' : kind))
  const asked = Array.from(
    { length: ROUTES_A_KIND },
    (_, at) => all[Math.floor(((at + 0.5) * all.length) / ROUTES_A_KIND)],
  )
  return Array.from({ length: PATHS_A_KIND }, (_, number) => {
    const template = asked[number % asked.length]
    return kind === 'miss' ? missFor(template, number) : pathFor(template, number)
  })
}

function createCase(size) {
  const templates = [...new Set(Array.from({ length: size * 2 }, (_, number) => templateOf(number)))].slice(0, size)
  const router = createRouter()
  for (const text of templates) insert(router, { template: parseTemplate(text, text), owner: text, value: text })
  const streams = new Map(KINDS.map((kind) => [kind, pathsOf(templates, kind)]))
  for (const [kind, paths] of streams) verify(router, kind, paths)
  // Kinds take turns in the mix.
  streams.set('mix', Array.from({ length: PATHS_A_KIND }, (_, at) => KINDS.map((kind) => streams.get(kind)[at])).flat())
  return { size, router, streams, best: new Map([...streams.keys()].map((kind) => [kind, Infinity])) }
}

function verify(router, kind, paths) {
  for (const path of paths) {
    const found = match(router, path)?.owner
    const right = kind === 'miss' ? found === undefined : found !== undefined && kindOf(found) === kind
    if (!right) throw new Error(`Cannot measure "${kind}": "${path}" found "${found}". Change the generated templates`)
  }
}

function freshCopies(paths) {
  const copies = []
  for (let copy = 0; copy < COPIES; copy++) {
    for (const path of paths) copies.push(Buffer.from(path, 'latin1').latin1Slice())
  }
  return shuffled(copies)
}

let seed = 1
function random(below) {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}

// A fixed order would be learned by the branch predictor, in the small tables better than in the large ones.
function shuffled(items) {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random(at + 1)
    ;[items[at], items[other]] = [items[other], items[at]]
  }
  return items
}

let sink = 0
function lookUpAll(router, paths) {
  for (const path of paths) {
    const leaf = match(router, path)
    if (leaf === undefined) continue
    const params = readParams(router, leaf, path)
    if (params !== undefined) sink++
  }
}

function measure({ router, streams, best }) {
  for (const [kind, paths] of streams) {
    const fresh = freshCopies(paths)
    const start = process.hrtime.bigint()
    lookUpAll(router, fresh)
    const nanoseconds = Number(process.hrtime.bigint() - start) / fresh.length
    best.set(kind, Math.min(best.get(kind), nanoseconds))
  }
}

function print(cases) {
  console.log(`${'ns a lookup'.padEnd(14)}${SIZES.map((size) => size.toLocaleString('en').padStart(9)).join('')}`)
  for (const kind of [...KINDS, 'mix']) {
    console.log(`${kind.padEnd(14)}${cases.map(({ best }) => best.get(kind).toFixed(0).padStart(9)).join('')}`)
  }
}

const cases = SIZES.map(createCase)
for (let round = 0; round < ROUNDS; round++) for (const each of cases) measure(each)
print(cases)
const ratio = cases.at(-1).best.get('mix') / cases[0].best.get('mix')
const holds = ratio <= LIMIT && sink > 0
console.log(`10 -> 10,000 routes: ${ratio.toFixed(2)} (at most ${LIMIT})`)
process.exitCode = holds ? 0 : 1
