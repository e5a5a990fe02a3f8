/** Reads the types that an editor shows on hover. */
import ts from 'typescript'

/**
 * Returns the displayed types of the variables and parameters in a file.
 *
 * @param file path from the root of the repository
 * @returns full type by name
 */
export function readHovers(file: string): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd())
  const program = ts.createProgram([file], { ...options, skipLibCheck: true })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const shown = new Map<string, string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isDeclared(node)) {
      const type = checker.getTypeAtLocation(node)
      shown.set(node.text, checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation))
    }
    ts.forEachChild(node, visit)
  }
  if (source !== undefined) visit(source)
  return shown
}

function isDeclared({ parent, text }: ts.Identifier): boolean {
  if (!ts.isVariableDeclaration(parent) && !ts.isParameter(parent) && !ts.isBindingElement(parent)) return false
  return ts.isIdentifier(parent.name) && parent.name.text === text
}
