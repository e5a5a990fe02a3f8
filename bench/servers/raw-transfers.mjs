/** Transfers written by hand on `node:http`: an event stream, an upload in memory, files of a directory. */
import busboy from 'busboy'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { createEvent, createReceipt, EVENT_COUNT } from '../data.mjs'
import { createFileRoot } from '../file-root.mjs'
import { refuse, send } from './raw.mjs'

const MAX_FILE_SIZE = 2_000_000
const TYPES = { '.css': 'text/css', '.png': 'image/png', '.bin': 'application/octet-stream' }

export const apps = { feed: () => feed, upload: () => upload, files }

function feed({ url, method }, response) {
  if (method !== 'GET' || url !== '/events') return refuse(response, 404, 'Not Found', 'No resource matches this path')
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  let sent = 0
  const pump = () => {
    while (sent < EVENT_COUNT) {
      if (!response.write(`data: ${JSON.stringify(createEvent(sent++))}\n\n`)) return void response.once('drain', pump)
    }
    response.end()
  }
  pump()
}

function upload(request, response) {
  if (request.method !== 'POST' || request.url !== '/images') {
    return refuse(response, 404, 'Not Found', 'No resource matches this path')
  }
  const fields = {}
  const chunks = []
  let name
  const form = busboy({ headers: request.headers, limits: { fileSize: MAX_FILE_SIZE, files: 1, fields: 2 } })
  form.on('field', (field, value) => (fields[field] = value))
  form.on('file', (_, file, { filename }) => {
    name = filename
    file.on('limit', () => request.destroy())
    file.on('data', (chunk) => chunks.push(chunk))
  })
  form.on('error', () => refuse(response, 400, 'Bad Request', 'The form is malformed'))
  form.on('close', () => send(response, 201, createReceipt(fields, name, Buffer.concat(chunks))))
  request.pipe(form)
}

function files() {
  const root = createFileRoot()
  return async ({ url, method }, response) => {
    try {
      if (method !== 'GET' || !url.startsWith('/assets/')) throw new Error('No such file')
      const path = join(root, normalize(decodeURIComponent(url.slice('/assets'.length))))
      const { size, mtime } = await stat(path)
      response.writeHead(200, {
        'content-type': TYPES[extname(path)],
        'content-length': size,
        'last-modified': mtime.toUTCString(),
        etag: `"${size.toString(36)}-${mtime.getTime().toString(36)}"`,
      })
      createReadStream(path).pipe(response)
    } catch {
      refuse(response, 404, 'Not Found', 'No resource matches this path')
    }
  }
}
