/** The part that tests use of a package without types of its own. */
declare module 'parse-prometheus-text-format' {
  /** A sample of a family without a type. */
  interface Sample {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
  }

  /** A family of metrics. */
  interface Family {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly Sample[]
  }

  /** Reads the text format 0.0.4 of Prometheus; throws when a line does not follow it. */
  export default function parse(text: string): readonly Family[]
}
