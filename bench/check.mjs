/** Checks before measuring: all servers send the same bytes, and servers with validation reject invalid requests. */
import assert from 'node:assert/strict'
import { takesPart } from './options.mjs'
import { withServer } from './server-process.mjs'

/** Headers that differ between servers. */
const OWN = new Set(['date', 'x-request-id', 'keep-alive', 'content-length'])

/**
 * Compares the responses of all servers with the responses of the first one.
 *
 * @param {string} name of the workload
 * @param {object} workload
 * @param {object} options from `readOptions`, and the servers
 * @throws {assert.AssertionError} at the first difference
 */
export async function checkWorkload(name, workload, { servers, node, cores }) {
  const answers = []
  const checked = servers.filter((server) => takesPart(server, name))
  for (const server of checked) {
    const options = { node, server, app: workload.app, core: cores.server }
    answers.push(await withServer(options, ({ url }) => fetchAnswers(url, workload)))
  }
  const [expected] = answers
  for (const [index, given] of answers.entries()) {
    const who = `${checked[index].name} on ${name}`
    compare(given, expected, { who, status: workload.status })
    if (checked[index].isOurs && !workload.hasOwnHeaders)
      assert.deepEqual(given.headers, expected.headers, `Headers of ${who}`)
    if (workload.refused) assert.match(String(given.refused), /^4\d\d$/, `${who} does not validate`)
  }
}

function compare(given, expected, { who, status }) {
  assert.deepEqual(
    given.statuses,
    given.statuses.map(() => status),
    `Statuses of ${who}`,
  )
  if (status === 404) return
  assert.equal(given.type, expected.type, `Media type of ${who}`)
  assert.deepEqual(given.bodies, expected.bodies, `Bodies of ${who}`)
}

async function fetchAnswers(url, { method, paths, body, refused, type = 'application/json' }) {
  const init = { method, body, headers: body === undefined ? {} : { 'content-type': type } }
  const answers = await Promise.all(paths.map((path) => ask(url + path, init)))
  const refusal = refused && (await ask(url + refused.path, { ...init, body: refused.body }))
  const [{ headers }] = answers
  return {
    statuses: answers.map((answer) => answer.status),
    bodies: answers.map((answer) => answer.body),
    type: headers.get('content-type')?.split(';')[0],
    headers: Object.fromEntries([...headers].filter(([name]) => !OWN.has(name))),
    refused: refusal?.status,
  }
}

async function ask(url, init) {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, body: await response.text() }
}
