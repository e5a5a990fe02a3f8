interface Change {
  readonly rule: string
  readonly pointer: string
  readonly message: string
}
interface BreakingChange extends Change {
  readonly method: string
  readonly path: string
}
interface BreakingOptions {
  readonly now?: Date | number | string
}
declare function breaking(before: object, after: object, options?: BreakingOptions): BreakingChange[]
export { breaking }
export type { BreakingChange, BreakingOptions }
