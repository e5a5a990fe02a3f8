/** `npm start`: runs the whole shop on this machine. Ctrl+C ends it; SIGUSR2 restarts the processes of the app one by one. */
import { openStack } from './stack/stack.js'

const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PORT: port = '8080' } = process.env
const opening = openStack({ databaseUrl, redisUrl, port: Number(port), report: (message) => console.error(message) })

let isClosing = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    // Under npm, Ctrl+C may arrive twice: from the terminal, and from npm.
    if (isClosing) return
    isClosing = true
    await (await opening).close()
    process.exit()
  })
}

const stack = await opening
console.log(`The shop listens on ${stack.url}`)
console.log(`Restart it while it answers: kill -USR2 ${process.pid}`)

process.on('SIGUSR2', async () => {
  console.log('Restarting …')
  await stack.fleet.roll().then(
    () => console.log('All processes are new'),
    (error: unknown) => console.error(`The old processes go on: ${String(error)}`),
  )
})
