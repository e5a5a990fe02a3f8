/** Lists of decorators, as contracts and classes have them. */
import { SetupError } from '../errors/setup-error.js'
import { readUse, type Use } from './decorator-record.js'

/** Checks a list of decorators. */
export function readDecorators(value: unknown, where: string): (() => Use)[] {
  if (!Array.isArray(value)) throw flaw(where, 'they are no array. Write "decorators: [first, second]"')
  return value.map((entry: unknown, index) => {
    const read = readUse(entry)
    if (read !== undefined) return read
    const state = typeof entry === 'function' ? 'a function that decorator() has not made' : 'no decorator'
    const wayOut = 'Give "log", "log({ … })", or what decorator() of verbena gives'
    throw flaw(where, `entry ${index} is ${state}. ${wayOut}`)
  })
}

function flaw(where: string, why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use the decorators of ${where}: ${why}`)
}
