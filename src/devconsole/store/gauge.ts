/** Measures memory always, but the event loop and garbage collection only while a page is open, because that costs time. */
import { performance, PerformanceObserver } from 'node:perf_hooks'
import { Histogram } from '../../observe/histogram.js'
import type { MetricsPoint } from '../wire/feed-types.js'

export type GaugeReading = Pick<MetricsPoint, 'loopDelay' | 'loopUse' | 'heap' | 'rss' | 'gc'>

const RESOLUTION_MS = 20
const MAJOR_COLLECTION = 4

export class Gauge {
  #watch: NodeJS.Timeout | null = null
  #delays = new Histogram()
  #looked = 0
  #collections: PerformanceObserver | null = null
  #majors = 0
  #use = performance.eventLoopUtilization()

  /** Starts to measure the event loop and garbage collection. Further calls have no effect. */
  start(): void {
    if (this.#watch !== null) return
    this.#looked = performance.now()
    this.#watch = setInterval(() => this.#look(), RESOLUTION_MS).unref()
    this.#use = performance.eventLoopUtilization()
    this.#collections = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (gcKind(entry) === MAJOR_COLLECTION) this.#majors++
    })
    this.#collections.observe({ entryTypes: ['gc'] })
  }

  stop(): void {
    if (this.#watch !== null) clearInterval(this.#watch)
    this.#watch = null
    this.#delays = new Histogram()
    this.#collections?.disconnect()
    this.#collections = null
    this.#majors = 0
  }

  /** Returns all values, and starts the next interval. */
  read(): GaugeReading {
    const { heapUsed: heap, rss } = process.memoryUsage()
    if (this.#watch === null) return { loopDelay: null, loopUse: null, heap, rss, gc: 0 }
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#use)
    const delay = this.#delays.quantile(0.99)
    const reading = { loopDelay: Math.round(delay * 100) / 100, loopUse: utilization, heap, rss, gc: this.#majors }
    this.#delays = new Histogram()
    this.#use = now
    this.#majors = 0
    return reading
  }

  /** Measures the delay since the previous call. `monitorEventLoopDelay` loses a stall that has just started when it is reset. */
  #look(): void {
    const now = performance.now()
    this.#delays.record(Math.max(0, now - this.#looked - RESOLUTION_MS))
    this.#looked = now
  }
}

function gcKind(entry: object): unknown {
  return Reflect.get(Object(Reflect.get(entry, 'detail')), 'kind')
}
