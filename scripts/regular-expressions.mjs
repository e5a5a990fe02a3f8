/**
 * Checks each regular expression of `src` with `recheck`: its time must be linear in the length of the string. Literals are read from
 * the source, and so are the patterns of `latePattern`. Patterns of `new RegExp` are recorded while their module loads. First checks that
 * it finds planted patterns.
 *
 *   node --import tsx scripts/regular-expressions.mjs
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { check } from 'recheck'
import ts from 'typescript'
import { ensurePage } from '../console/build.mjs'
import { ROOT, fail, filesBelow, seconds } from './tools.mjs'

/** Patterns that functions create, by file: the reason why they are not recorded, and an example that is checked instead. */
const LATER = {
  'src/features/responses/cors.ts': ['an origin of the app', String.raw`^https://(?:[\w-]+\.)+example\.com$`],
  'src/secrets/secrets.ts': ['a pattern of the author', null],
  'src/validation/json-schema.ts': ['a pattern of the schema', null],
  'src/values/late-pattern.ts': ['the patterns of its callers, which are checked there', null],
}

const PLANTED = [
  { text: 'const NAME = /^(a+)+$/', status: 'exponential' },
  { text: String.raw`const WEIGHT = /^\d+\.?\d*$/g`, status: 'polynomial' },
  { text: 'const TOKEN = /(a+)+b/y', status: 'exponential' },
  { text: 'new RegExp(source)', status: 'not recorded' },
  { text: "latePattern(String.raw`(a+)+$`, 'u')", status: 'exponential' },
]

/**
 * Limits of the search for slow strings, which `recheck` uses for lookarounds and large patterns. They count steps instead of time, so
 * that the result is the same on a busy machine. A linear pattern needs less than a hundredth of `attackLimit` for 300,000 characters.
 */
const LIMITS = {
  ...{ timeout: 60_000, incubationTimeout: 60_000, attackTimeout: 60_000, seedingTimeout: 60_000 },
  ...{ attackLimit: 200_000_000, randomSeed: 1 },
}

// The native program needs ten seconds for all patterns, JavaScript a minute. The default would start Java, if it is installed.
const hasProgram = existsSync(join(ROOT, `node_modules/recheck-${process.platform}-${process.arch}`))
process.env.RECHECK_BACKEND ??= hasProgram ? 'native' : 'pure'

const begin = performance.now()
const results = new Map()
for (const { text, status } of PLANTED) {
  const [found] = await findProblems(findPatterns('src/planted.ts', text, []))
  if (!found?.includes(status)) fail(`FAILED  the check does not find the planted ${text}: ${found ?? 'no problem'}`)
}

await ensurePage()
const files = ['src', 'console/page'].flatMap((folder) => filesBelow(folder, (path) => /(?<!\.d)\.ts$/.test(path)))
const sources = files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])
const recorded = await recordPatterns(sources.filter(([, text]) => text.includes('RegExp(')).map(([path]) => path))
const patterns = sources.flatMap(([path, text]) => findPatterns(path, text, recorded))
const problems = await findProblems(patterns)
if (problems.length > 0) fail(`FAILED\n${problems.join('\n')}`)
console.log(`ok  ${patterns.length} regular expressions take linear time  ${seconds(begin)}`)
process.exit(0) // The native program keeps the process alive.

/** Finds literals, and the recorded patterns of `new RegExp`. */
function findPatterns(path, text, ofModules) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = []
  visit(file)
  return found

  function visit(node) {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
    const place = `${path}:${line}`
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push({ place, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    } else if (isLatePattern(node)) {
      const [source, flags] = node.arguments
      found.push({ place, source: source.template.rawText, flags: flags.text })
    } else if (isConstructor(node)) found.push(...constructedPatterns(path, place, node))
    ts.forEachChild(node, visit)
  }

  function isLatePattern(node) {
    return ts.isCallExpression(node) && node.expression.getText(file) === 'latePattern'
  }

  function isConstructor(node) {
    return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(file) === 'RegExp'
  }

  function constructedPatterns(path, place, node) {
    const last = file.getLineAndCharacterOfPosition(node.end).line + 1
    const own = ofModules.filter((each) => each.path === path && isWithin(each.line, place, last))
    if (own.length > 0) return own.map(({ source, flags }) => ({ place, source, flags }))
    const [, example] = LATER[path] ?? [null, undefined]
    return example === null ? [] : [{ place, source: example, flags: '' }]
  }
}

function isWithin(line, place, last) {
  return line >= Number(place.split(':').at(-1)) && line <= last
}

/** Imports modules, and records the patterns that they construct. */
async function recordPatterns(paths) {
  const found = []
  const Original = globalThis.RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct(target, given) {
      const [, path, line] = /\/((?:src|console\/page)\/[^:\n]+\.ts):(\d+)/.exec(new Error('place').stack) ?? []
      const made = Reflect.construct(target, given)
      found.push({ path, line: Number(line), source: made.source, flags: made.flags })
      return made
    },
  })
  for (const path of paths) await import(pathToFileURL(join(ROOT, path)).href)
  globalThis.RegExp = Original
  return found
}

/** Describes patterns that are not proven linear. */
async function findProblems(all) {
  const described = []
  for (const { place, source, flags } of all) {
    if (source === undefined) described.push(`${place}: the pattern is not recorded. Create it when the module loads`)
    else {
      const problem = await findProblem(source, flags)
      if (problem !== null) described.push(`${place}: /${source}/${flags} is ${problem}`)
    }
  }
  return described
}

async function findProblem(source, flags) {
  // A sticky pattern starts at one position only, as if it were anchored.
  const anchored = flags.includes('y') ? `^(?:${source})` : source
  const key = `${flags} ${anchored}`
  if (!results.has(key)) results.set(key, await check(anchored, flags.replace(/[dgy]/g, ''), LIMITS))
  const { status, complexity, attack, error } = results.get(key)
  if (status === 'safe') return null
  if (status === 'unknown') return `not checked: ${JSON.stringify(error)}`
  return `${complexity.type} (${complexity.summary}), for example for ${attack.pattern}`
}
