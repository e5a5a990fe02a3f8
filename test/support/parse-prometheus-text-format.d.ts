/** Types for the part that the tests use; the package has no types. */
declare module 'parse-prometheus-text-format' {
  interface Sample {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
  }

  interface Family {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly Sample[]
  }

  /** Parses the Prometheus text format 0.0.4; throws if a line is malformed. */
  export default function parse(text: string): readonly Family[]
}
