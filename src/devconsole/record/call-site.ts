/** Where a call was made. Writing a stack with source maps takes 40 µs or more (Node 20), so each place in the code is looked up once. */
import { readLine } from '../host/stack.js'
import type { CodePlace } from '../wire/request-types.js'

const FRAMES = 15
const MAX_KNOWN = 500
const known = new Map<string, CodePlace | null>()

/** Reads where a call was made, which is not done before it is asked for: the first frame of the app; `null` without one. */
export type CallSite = (root: string) => CodePlace | null

export function siteHere(): CallSite {
  const [frames, written] = [stackHere(), stackHere()]
  return (root) => {
    const key = `${root}\n${readStackFrames(frames)}`
    const place = known.get(key)
    if (place !== undefined) return place
    const codePlace = findCodePlace(String(written.stack), root)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, codePlace)
    return codePlace
  }
}

function stackHere(): { readonly stack?: unknown } {
  const { stackTraceLimit } = Error
  const holder = {}
  Reflect.set(Error, 'stackTraceLimit', FRAMES)
  Error.captureStackTrace(holder, siteHere)
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  return holder
}

/** Whatever writes stacks is given their frames instead. Where `Error` is frozen they are as they are written, which is as good a key. */
function readStackFrames(holder: { readonly stack?: unknown }): string {
  const { prepareStackTrace } = Error
  Reflect.set(Error, 'prepareStackTrace', listFrames)
  try {
    return String(holder.stack)
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace)
  }
}

function listFrames(_: unknown, sites: readonly NodeJS.CallSite[]): string {
  return sites.map((site) => `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`).join('\n')
}

function findCodePlace(stack: string, root: string): CodePlace | null {
  const frames = stack.split('\n').flatMap((line) => readLine(line, root) ?? [])
  const frame = frames.find(({ kind }) => kind === 'app')
  return frame === undefined ? null : { file: frame.file, line: frame.line }
}
