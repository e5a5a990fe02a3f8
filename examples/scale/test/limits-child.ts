/** A process that makes 200 requests, four at a time, after a message, and sends back the number of accepted requests. */
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { createApp, Route } from 'verbena'
import { rateLimit } from 'verbena/limits'
import { redisLimits } from 'verbena/redis'

const client = new Redis(String(process.argv[2]))
const few = rateLimit({ by: () => 'all', limit: 100, window: 60_000, store: redisLimits(client) })
class Home extends Route {
  static readonly uses = { few }
  get() {}
}
const app = createApp({ routes: { Home }, logger: false })

await client.ping()
process.send?.(0)
await once(process, 'message')
const statuses: number[] = []
for (let round = 0; round < 50; round++) {
  const answers = Array.from({ length: 4 }, () => app.fetch(new Request('http://localhost/home')))
  for (const { status } of await Promise.all(answers)) statuses.push(status)
}
process.send?.(statuses.filter((status) => status === 204).length)
client.disconnect()
process.disconnect()
