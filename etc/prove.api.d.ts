import { App } from './index.js'
declare function surface(app: App): string
interface LeavingField {
  readonly field: string
  readonly marks: readonly string[]
  readonly leaves: readonly LeavingPlace[]
}
interface LeavingPlace {
  readonly by: string
  readonly status: number | 'errors' | null
  readonly source: string
  readonly path: string
  readonly notes: readonly string[]
  readonly for: readonly string[]
}
declare function surfaceFields(app: App): LeavingField[]
export { surface, surfaceFields }
export type { LeavingField, LeavingPlace }
