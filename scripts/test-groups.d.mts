interface TestFile {
  readonly file: string
  readonly source: string
  readonly isAlone?: boolean
}

interface TestGroup {
  readonly files: string[]
  readonly isDevelopment: boolean
}

export function groupTests(tests: readonly TestFile[]): TestGroup[]
