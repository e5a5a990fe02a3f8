/** Measures a large app of Verbena in process: `large-child.mjs <classes>`. Prints the figures as JSON. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRoutes } from './large-routes.mjs'

const verbena = await import(process.env['VERBENA_BUILD'])
const routes = createRoutes(verbena, Number(process.argv[2]))
gc()
const heapBefore = usedHeap()
const residentBefore = process.memoryUsage.rss()
const setup = process.cpuUsage()
const app = verbena.createApp({ routes, logger: false })
const { status } = await app.fetch(new Request('http://localhost/things0'))
const setupCpu = cpuSince(setup)
if (status !== 200) throw new Error(`the first request is answered with ${status}`)
// In kB.
const peak = process.resourceUsage().maxRSS * 1024 - residentBefore
const setupHeap = (await measureHeap()) - heapBefore
const document = process.cpuUsage()
const { byteLength: length } = await (await app.fetch(new Request('http://localhost/openapi.json'))).arrayBuffer()
const documentCpu = cpuSince(document)
const documentHeap = (await measureHeap()) - heapBefore - setupHeap
console.log(JSON.stringify({ setupCpu, setupHeap, peak, documentCpu, documentHeap, length }))

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Returns the heap after a collection, in a new turn of the event loop, because weak references keep their values for a turn. */
async function measureHeap() {
  await sleep(10)
  gc()
  gc()
  return usedHeap()
}

function usedHeap() {
  return process.memoryUsage().heapUsed
}
