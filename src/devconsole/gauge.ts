/** What the process does: memory always, the event loop and the collector only while somebody looks, because watching them costs. */
import { monitorEventLoopDelay, performance, PerformanceObserver, type IntervalHistogram } from 'node:perf_hooks'
import type { MetricsPoint } from './wire-feed-types.js'

/** What was measured. */
export type Reading = Pick<MetricsPoint, 'loopDelay' | 'loopUse' | 'heap' | 'rss' | 'gc'>

const RESOLUTION_MS = 20
const MAJOR_COLLECTION = 4

/** Measures the process. */
export class Gauge {
  #delays: IntervalHistogram | null = null
  #collections: PerformanceObserver | null = null
  #majors = 0
  #use = performance.eventLoopUtilization()

  /** Begins to watch the event loop; again, it goes on. */
  start(): void {
    if (this.#delays !== null) return
    this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#delays.enable()
    this.#use = performance.eventLoopUtilization()
    this.#collections = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (kindOf(entry) === MAJOR_COLLECTION) this.#majors++
    })
    this.#collections.observe({ entryTypes: ['gc'] })
  }

  /** Stops watching. */
  stop(): void {
    this.#delays?.disable()
    this.#delays = null
    this.#collections?.disconnect()
    this.#collections = null
    this.#majors = 0
  }

  /**
   * Reads what there is, and begins anew with what is measured over time.
   *
   * @returns figures since the last reading
   */
  read(): Reading {
    const { heapUsed: heap, rss } = process.memoryUsage()
    if (this.#delays === null) return { loopDelay: null, loopUse: null, heap, rss, gc: 0 }
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#use)
    // It counts the time between its own looks.
    const delay = Math.max(0, this.#delays.percentile(99) / 1e6 - RESOLUTION_MS)
    const reading = { loopDelay: Math.round(delay * 100) / 100, loopUse: utilization, heap, rss, gc: this.#majors }
    this.#delays.reset()
    this.#use = now
    this.#majors = 0
    return reading
  }
}

function kindOf(entry: object): unknown {
  return Reflect.get(Object(Reflect.get(entry, 'detail')), 'kind')
}
