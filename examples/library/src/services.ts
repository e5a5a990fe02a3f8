/** The services of the app, and the type that routes see. */
import { service } from 'verbena'
import { Catalog } from './catalog.js'

/** The services that routes use. Tests replace them. */
export interface Services {
  readonly catalog: Catalog
}

export function createServices() {
  return { catalog: service(() => new Catalog([{ id: 'ada', name: 'Ada' }])) }
}
