/** The app of `npm run test:runtimes`. Runs in a folder with the package: `app.mjs fetch <cases as JSON>`, or `app.mjs listen`. */
import { createApp, events, HttpError, Route, stream } from 'verbena'
import { upgrade } from 'verbena/upgrade'

const task = {
  '~standard': {
    version: 1,
    vendor: 'runtimes',
    validate: (value) =>
      typeof value?.title === 'string' ? { value } : { issues: [{ message: 'must be a string', path: ['title'] }] },
  },
}
const anything = {
  '~standard': {
    version: 1,
    vendor: 'runtimes',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
let abortCount = 0

class Tasks extends Route {
  static post = this.contract({ body: task, status: 201 })
  post({ body }) {
    return body
  }
}

class TaskById extends Route {
  static path = '/tasks/{id}'
  get({ params }) {
    if (params.id === '0') throw new HttpError(404, 'This task does not exist')
    return { id: params.id }
  }
}

class Chunks extends Route {
  static get = this.contract({ returns: stream() })
  async *get() {
    for (const part of ['one ', 'two ', 'three']) {
      yield part
      await wait(5)
    }
  }
}

class Events extends Route {
  static get = this.contract({ returns: events(anything) })
  async *get({ signal }) {
    signal.addEventListener('abort', () => abortCount++)
    for (let count = 1; count <= 2; count++) yield { id: String(count), data: { count } }
  }
}

class Endless extends Route {
  static get = this.contract({ returns: events(anything) })
  async *get({ signal }) {
    signal.addEventListener('abort', () => abortCount++)
    for (;;) {
      yield { data: 'tick' }
      await wait(20)
    }
  }
}

class Cookies extends Route {
  static get = this.contract({ cookies: anything })
  get({ cookies, response }) {
    response.cookie('seen', 'yes')
    response.cookie('theme', 'dark', { maxAge: 60 })
    return cookies
  }
}

class Slow extends Route {
  async get() {
    await wait(500)
    return 'slow'
  }
}

class Broken extends Route {
  get() {
    throw new Error('broken')
  }
}

class Aborts extends Route {
  get() {
    return { abortCount }
  }
}

const echo = upgrade({ path: '/echo' }, (_, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  socket.pipe(socket)
})

const app = createApp({
  routes: { Tasks, TaskById, Chunks, Events, Endless, Cookies, Slow, Broken, Aborts, '/': echo },
  limits: { body: 1000 },
  timeouts: { headers: 500 },
  devConsole: false,
  logger: false,
})

const [mode, cases] = process.argv.slice(2)
if (mode === 'fetch') {
  const results = []
  for (const { method = 'GET', path, headers, body } of JSON.parse(cases)) {
    const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers, body }))
    results.push({ status: response.status, headers: [...response.headers], body: await response.text() })
  }
  console.log(JSON.stringify(results))
  await app.close()
} else console.log((await app.listen({ port: 0 })).port)
