/** Who answered a request and what is known of it, in words. */
import type { About, AboutPart } from '../wire/view-types.js'
import type { RequestRecord } from '../wire/request-types.js'

export function aboutOf(record: RequestRecord): About[] {
  const client = [record['client.address'], record['user_agent.original']].filter((part) => part !== null)
  const trace = record['dev.traceId']
  return [
    ['Template', [codeOr(record['http.route'], 'none matched')]],
    ['Handler', handlerOf(record)],
    ['Parameters', [codeOr(Object.keys(record.params).length === 0 ? null : JSON.stringify(record.params), 'none')]],
    ['Decorators', [codeOr(record.decorators.join(', ') || null, 'none')]],
    ['Version', versionOf(record)],
    ...(client.length === 0 ? [] : [['Client', [{ code: client.join(', ') }]] as const]),
    ...(trace === null ? [] : [['Trace', [{ code: trace }]] as const]),
    ['Process', [{ code: String(record['process.pid']) }]],
  ]
}

function codeOr(code: string | null, otherwise: string): AboutPart {
  return code === null ? { dim: otherwise } : { code }
}

function handlerOf(record: RequestRecord): AboutPart[] {
  const file = record['code.file.path']
  const line = record['code.line.number']
  const name = codeOr(record['code.function.name'], 'none answered')
  return file === null || line === null ? [name] : [name, ' in ', { place: { file, line } }]
}

function versionOf({ version }: RequestRecord): AboutPart[] {
  if (version === null) return [{ dim: 'not versioned' }]
  const { ok, isDefault, constraint, from } = version
  const asked = version.asked ?? 'none'
  const result = ok ? ', satisfies ' : ', does not satisfy '
  const parts = isDefault ? [`none asked, ${asked} taken`] : [`asked ${asked} in `, { code: from }]
  return [...parts, result, { code: constraint }]
}
