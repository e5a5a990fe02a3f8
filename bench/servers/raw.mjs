/** A server written by hand on `node:http`, the reference for all others. It sends the same headers as Verbena. */
import { createServer } from 'node:http'
import { ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { count } from '../steps.mjs'

const JSON_TYPE = 'application/json'
const MAX_BODY = 1024 * 1024

/** Validates with the same schema as Verbena and Hono: the cost of validation in any server. */
const checkedItems =
  process.env['VALIDATE_RESPONSES'] === 'true' ? validator((await import('../schemas.mjs')).Items) : () => ITEMS

const apps = { small, many: many(), layered: layered() }
let write = writeHeadAndBody

/** Starts one of the apps on a free port. */
export function start(app) {
  return startApp(app, { optimizeEmptyRequests: process.env['OPTIMIZED'] === 'true' })
}

/** Starts one of the apps with options of `createServer`, and optionally with another function that writes the responses. */
export async function startApp(app, options, writer = writeHeadAndBody) {
  write = writer
  const server = createServer(options, apps[app] ?? (await import('./raw-transfers.mjs')).apps[app]())
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
}

function validator(schema) {
  return () => schema.parse(ITEMS)
}

function small(request, response) {
  const { url, method } = request
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  if (method === 'GET' && path === '/status') send(response, 200, STATUS)
  else if (method === 'GET' && path === '/items') send(response, 200, checkedItems())
  else if (method === 'POST' && path === '/users') createUser(request, response)
  else if (method === 'GET' && path.startsWith('/users/') && path.endsWith('/posts')) listPosts(request, response, path)
  else refuse(response, 404, 'Not Found', 'No resource matches this path')
}

export function listPosts({ url }, response, path) {
  const user = decodeURIComponent(path.slice('/users/'.length, -'/posts'.length))
  const query = new URLSearchParams(url.slice(path.length + 1))
  const limit = Number(query.get('limit') ?? 10)
  const tag = query.get('tag')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100 || tag === null) {
    refuse(response, 422, 'Unprocessable Content', 'The query is not valid')
  } else send(response, 200, { user, limit, tag })
}

export function createUser(request, response) {
  if (request.headers['content-type'] !== JSON_TYPE) {
    refuse(response, 415, 'Unsupported Media Type', 'Send the body as application/json')
    return
  }
  const chunks = []
  let size = 0
  request.on('data', (chunk) => {
    size += chunk.length
    if (size > MAX_BODY) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const user = parseUser(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    if (user === undefined) refuse(response, 422, 'Unprocessable Content', 'The body is not valid')
    else send(response, 201, { id: USER_ID, ...user })
  })
}

function parseUser(bytes) {
  const value = parse(bytes.toString())
  if (typeof value !== 'object' || value === null) return undefined
  const { name, email, age, tags } = value
  if (typeof name !== 'string' || name.length < 1 || name.length > 50) return undefined
  if (typeof email !== 'string' || email.length < 3 || email.length > 100) return undefined
  if (!Number.isInteger(age) || age < 0) return undefined
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) return undefined
  return { name, email, age, tags }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function many() {
  const numbers = new Map(RESOURCES.map((path, number) => [path, number]))
  return ({ url, method }, response) => {
    const slash = url.lastIndexOf('/')
    const number = numbers.get(url.slice(0, slash))
    if (method !== 'GET' || number === undefined) refuse(response, 404, 'Not Found', 'No resource matches this path')
    else send(response, 200, { resource: number, id: decodeURIComponent(url.slice(slash + 1)) })
  }
}

function around(inner) {
  return async (request, response) => {
    count()
    await inner(request, response)
  }
}

function layered() {
  // Middleware that also runs code after the response.
  if (process.env['NESTED'] === 'true') {
    let handler = small
    for (let layer = 0; layer < 5; layer++) handler = around(handler)
    return handler
  }
  const steps = Array.from({ length: 5 }, () => async () => count())
  return async (request, response) => {
    for (const step of steps) await step()
    small(request, response)
  }
}

export function send(response, status, value) {
  write(response, status, JSON_TYPE, JSON.stringify(value))
}

let refusals = 0

/** Responds with a problem that has the same members as Verbena's (RFC 9457). */
export function refuse(response, status, title, detail) {
  const requestId = `Zm9vYmFy-${(++refusals).toString(36)}`
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, requestId })
  write(response, status, 'application/problem+json', body, requestId)
}

function writeHeadAndBody(response, status, type, body, id) {
  const headers = { 'content-type': type }
  if (id !== undefined) headers['x-request-id'] = id
  headers['content-length'] = Buffer.byteLength(body)
  headers['x-content-type-options'] = 'nosniff'
  response.writeHead(status, headers)
  response.end(body)
}
