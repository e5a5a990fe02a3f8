/**
 * Compares validators with and without `--disallow-code-generation-from-strings`: time to validate the list of W4, in µs.
 *
 *   node bench/code-generation.mjs [--node <binary>] [--publish]
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ITEMS } from './data.mjs'
import { readNodeVersion, readVersion } from './options.mjs'
import { publish, table } from './report.mjs'

const FLAG = '--disallow-code-generation-from-strings'
const ROUNDS = 60
const CALLS = 500

/** Each returns a schema of the same list. Their imports run in the order that a user needs. */
const VALIDATORS = {
  zod: readItems,
  'zod compiled'() {
    process.env['ZOD_COMPILED'] = 'true'
    return readItems()
  },
  async arktype() {
    const { type } = await import('arktype')
    return type({ id: 'number', name: 'string', price: 'number', available: 'boolean', tags: 'string[]' }).array()
  },
  async valibot() {
    const v = await import('valibot')
    const tags = v.array(v.string())
    return v.array(v.object({ id: v.number(), name: v.string(), price: v.number(), available: v.boolean(), tags }))
  },
}

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    publish: { type: 'boolean', default: false },
    validator: { type: 'string' },
  },
})
if (values.validator === undefined) compare()
else console.log(await measure(values.validator))

function compare() {
  const rows = Object.keys(VALIDATORS).map((name) => {
    const [usual, restricted] = [measureOnce(name, []), measureOnce(name, [FLAG])]
    return [name, usual.toFixed(1), restricted.toFixed(1), (restricted / usual).toFixed(1)]
  })
  const version = readNodeVersion(values.node)
  const packages = ['zod', 'arktype', 'valibot'].map((name) => `${name} ${readVersion(name)}`).join(', ')
  const said = `Node ${version}, ${new Date().toISOString().slice(0, 10)}, ${packages}, µs for a list of 100 items.`
  const lines = table([['', 'usual', `\`${FLAG}\``, 'ratio'], ...rows])
  console.log(`${said}\n\n${lines}`)
  if (values.publish) publish(`code generation, Node ${version.split('.')[0]}`, said, lines)
}

async function readItems() {
  return (await import('./schemas.mjs')).Items
}

/** Returns the least of three processes. */
function measureOnce(name, flags) {
  const args = [...flags, fileURLToPath(import.meta.url), '--validator', name]
  const times = Array.from({ length: 3 }, () => {
    const { stdout, stderr, status } = spawnSync(values.node, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`Cannot measure ${name}: ${stderr}`)
    return Number(stdout)
  })
  return Math.min(...times)
}

/** Returns the µs of a validation in the cheapest round. */
async function measure(name) {
  const schema = await VALIDATORS[name]()
  const validate = () => schema['~standard'].validate(ITEMS)
  if (validate().issues !== undefined) throw new Error(`${name} rejects the list`)
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now()
    for (let call = 0; call < CALLS; call++) validate()
    least = Math.min(least, ((performance.now() - begin) * 1000) / CALLS)
  }
  return least
}
