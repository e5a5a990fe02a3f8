/** Searches the objects of a value that JSON writes. */
import { isObject, toJsonValue } from '../../values/objects.js'

/** Returns the keys that lead to the first object with a property; `undefined` if there is none. Uses a list instead of recursion. */
export function findInJson(value: unknown, matches: (object: object) => boolean): readonly string[] | undefined {
  const seen = new Set<object>()
  const visits: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value, path: [] }]
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const json = toJsonValue(visit.value)
    if (!isObject(json) || seen.has(json)) continue
    if (matches(json) || (isObject(visit.value) && matches(visit.value))) return visit.path
    seen.add(json)
    for (const key of Object.keys(json)) visits.push({ value: json[key], path: [...visit.path, key] })
  }
  return undefined
}
