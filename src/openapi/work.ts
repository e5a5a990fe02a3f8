/** The making of one operation: its endpoint, and where components and findings go. */
import type { Side } from '../validation/json-schema.js'
import type { Components, Use } from './components.js'
import type { OpenApiResponse } from './document-types.js'
import type { DocumentedEndpoint, DocumentFinding } from './documented-endpoint.js'
import { joinedName } from './naming.js'

/** The making of one operation. */
export interface Work {
  readonly endpoint: DocumentedEndpoint
  readonly components: Components
  /** Takes answers that several operations have. */
  readonly responses: Map<string, OpenApiResponse>
  /** Takes what the document cannot say. */
  readonly findings: DocumentFinding[]
}

/** Says where a schema is used. */
export function useOf(work: Work, role: string, side: Side): Use {
  const { route, verb } = work.endpoint
  return {
    name: joinedName(route, verb, role),
    side,
    dangling: (reference) => {
      const message = `The schema of "${role}" refers to "${reference}", which leads nowhere`
      report(work, message, 'Define what it refers to within the schema')
    },
  }
}

/** Notes what the document cannot say. */
export function report({ endpoint, findings }: Work, message: string, wayOut: string): void {
  findings.push({ route: endpoint.route, verb: endpoint.verb, message, wayOut })
}
