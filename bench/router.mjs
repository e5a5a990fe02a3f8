/**
 * Measures routers: nanoseconds per lookup, which finds a route and reads its parameters. First for each kind of path in a table
 * of 204 routes with the shapes of GitHub's API, then for all kinds in tables of 10 to 10,000 routes.
 *
 *   node --import tsx bench/router.mjs [--rounds 1500] [--publish]
 *
 * In each table, the lookups use the same number of routes and paths, spread over the entire table: this measures the router, not
 * how many routes are in the processor's cache. Each path is a new string, created before the clock starts, because the paths of
 * a server have no cached hash either. Routers and tables take turns and the fastest round counts: noise can only increase times.
 */
import { parseArgs } from 'node:util'
import MedleyRouter from '@medley/router'
import createFindMyWay from 'find-my-way'
import { Memoirist } from 'memoirist'
import { match, readParams } from '../src/router/match.ts'
import { createRouter, insertLeaf } from '../src/router/router.ts'
import { parseTemplate } from '../src/router/template.ts'
import { publish, table } from './report.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '1500' }, publish: { type: 'boolean', default: false } },
})
const SIZES = [10, 204, 1_000, 10_000]
const KINDS = ['static', '1 parameter', '2 parameters', 'wildcard', 'miss']
const ROUTES_A_KIND = 2
const PATHS_A_KIND = 20
const COPIES = 5

let found = 0

/** A separate loop per router: a shared one would not be optimized for any of them. */
const ROUTERS = {
  Verbena: {
    create(templates) {
      const router = createRouter()
      for (const text of templates)
        insertLeaf(router, { template: parseTemplate(text, text), owner: text, value: text })
      return router
    },
    ask(router, paths) {
      for (const path of paths) {
        const leaf = match(router, path)
        if (leaf !== undefined && readParams(router, leaf, path) !== undefined) found++
      }
    },
    find: (router, path) => match(router, path)?.value,
  },
  'find-my-way': {
    create(templates) {
      const router = createFindMyWay()
      for (const text of templates) router.on('GET', withColons(text), () => {}, text)
      return router
    },
    ask(router, paths) {
      for (const path of paths) {
        const leaf = router.find('GET', path)
        if (leaf !== null && leaf.params !== undefined) found++
      }
    },
    find: (router, path) => router.find('GET', path)?.store,
  },
  '@medley/router': {
    create(templates) {
      const router = new MedleyRouter()
      for (const text of templates) router.register(withColons(text)).GET = text
      return router
    },
    ask(router, paths) {
      for (const path of paths) {
        const leaf = router.find(path)
        if (leaf !== null && leaf.store.GET !== undefined && leaf.params !== undefined) found++
      }
    },
    find: (router, path) => router.find(path)?.store.GET,
  },
  memoirist: {
    create(templates) {
      const router = new Memoirist()
      for (const text of templates) router.add('GET', withColons(text), text)
      return router
    },
    ask(router, paths) {
      for (const path of paths) {
        const leaf = router.find('GET', path)
        if (leaf !== null && leaf.params !== undefined) found++
      }
    },
    find: (router, path) => router.find('GET', path)?.store,
  },
}

function withColons(template) {
  return template.replace('{rest...}', '*').replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Returns eight letters, different for each number and evenly distributed for each size. */
function word(number) {
  let rest = Math.imul(number + 1, 0x9e3779b1) >>> 0
  let text = ''
  for (let at = 0; at < 4; at++) {
    text += 'bcdfghklmnprstvz'[rest & 15] + 'aeiou'[(rest >>> 4) % 5]
    rest = (rest >>> 7) ^ Math.imul(rest, 31)
  }
  return text
}

/** The shapes of GitHub's API: few first segments, and most templates below two parameters. */
function buildTemplate(number) {
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

function getKind(template) {
  if (template.includes('...')) return 'wildcard'
  const parameters = template.split('{').length - 1
  return ['static', '1 parameter', '2 parameters'][parameters]
}

function pathFor(template, number) {
  return template.replace('{rest...}', `src/lib/file${number}.ts`).replaceAll(/\{\w+\}/g, () => `octocat${number}`)
}

/** Misses have a wrong word at the end, below two parameters: the most expensive case. */
function missFor(template, number) {
  return `${pathFor(template, number).slice(0, -3)}xyz`
}

function selectPaths(templates, kind) {
  const all = templates.filter((template) => getKind(template) === (kind === 'miss' ? '2 parameters' : kind))
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
  const templates = [...new Set(Array.from({ length: size * 2 }, (_, number) => buildTemplate(number)))].slice(0, size)
  const streams = new Map(KINDS.map((kind) => [kind, selectPaths(templates, kind)]))
  // The kinds alternate in the mix.
  streams.set('mix', Array.from({ length: PATHS_A_KIND }, (_, at) => KINDS.map((kind) => streams.get(kind)[at])).flat())
  const asked = Object.entries(ROUTERS).map(([name, { create, ask, find }]) => {
    const router = create(templates)
    for (const kind of KINDS) verify(name, (path) => find(router, path), kind, streams.get(kind))
    return { name, router, ask, best: new Map([...streams.keys()].map((kind) => [kind, Infinity])) }
  })
  return { size, streams, asked }
}

function verify(name, find, kind, paths) {
  for (const path of paths) {
    const template = find(path)
    const right = kind === 'miss' ? template === undefined : template !== undefined && getKind(template) === kind
    if (!right) throw new Error(`Cannot measure "${kind}" of ${name}: "${path}" found "${template}"`)
  }
}

function freshCopies(paths) {
  const copies = []
  for (let copy = 0; copy < COPIES; copy++) {
    for (const path of paths) copies.push(Buffer.from(path, 'latin1').latin1Slice())
  }
  return shuffle(copies)
}

let seed = 1
function random(below) {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}

/** The branch predictor would learn a fixed order, and more of it in small tables than in large ones. */
function shuffle(items) {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random(at + 1)
    ;[items[at], items[other]] = [items[other], items[at]]
  }
  return items
}

function measure({ streams, asked }) {
  for (const [kind, paths] of streams) {
    for (const { router, ask, best } of asked) {
      const fresh = freshCopies(paths)
      const start = process.hrtime.bigint()
      ask(router, fresh)
      const nanoseconds = Number(process.hrtime.bigint() - start) / fresh.length
      best.set(kind, Math.min(best.get(kind), nanoseconds))
    }
  }
}

const cases = SIZES.map(createCase)
for (let round = 0; round < Number(values.rounds); round++) for (const each of cases) measure(each)

const names = Object.keys(ROUTERS)
const bestOf = (size, name) => cases.find((each) => each.size === size).asked.find((each) => each.name === name).best
const cells = (size, name, kinds) => kinds.map((kind) => bestOf(size, name).get(kind).toFixed(0))
const kinds = table([['204 routes', ...KINDS], ...names.map((name) => [name, ...cells(204, name, KINDS)])])
const growth = (name) => bestOf(10_000, name).get('mix') / bestOf(10, name).get('mix')
const mixes = names.map((name) => [
  name,
  ...SIZES.flatMap((size) => cells(size, name, ['mix'])),
  growth(name).toFixed(2),
])
const sizes = table([['all kinds', ...SIZES.map((size) => `${size} routes`), 'growth'], ...mixes])
const said = `Node ${process.versions.node}, ns a lookup, the fastest of ${values.rounds} rounds.`
console.log(`${said} ${found} found.\n\n${kinds}\n\n${sizes}`)
if (values.publish) publish('router', said, `${kinds}\n\n${sizes}`)
