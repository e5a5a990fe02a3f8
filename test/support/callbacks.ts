/** Finds the callbacks that a source file registers with emitters and timers, and whether each one runs inside `guarded`. */
import ts from 'typescript'
import { listNodes, parse } from '#test/source.js'

/** A callback that Node calls outside the steps of a request. */
export interface Callback {
  /** File, enclosing function and event: `http/server.ts openServer server.once('error')`. */
  readonly key: string
  /** Whether an error in it is caught: by `guarded`, or by a `try` that ends in `destroyFailed`. */
  readonly isGuarded: boolean
}

const LISTENER_METHODS = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener'])
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'nextTick'])

/**
 * Returns all callbacks that a file registers.
 *
 * @param path path from the root of the repository
 * @param text TypeScript
 */
export function findCallbacks(path: string, text: string): Callback[] {
  const file = parse(path, text)
  return [...listNodes(file)].flatMap((node) => {
    if (!ts.isCallExpression(node)) return []
    const name = calleeName(node)
    const { expression } = node
    const isMethod = ts.isPropertyAccessExpression(expression)
    const isTimer = TIMERS.has(name) && (!isMethod || /^(?:process|globalThis)\./.test(expression.getText()))
    const [first, second] = node.arguments
    // `socket.setTimeout(ms)` has a callback only as its second argument.
    const isListener = isMethod && (LISTENER_METHODS.has(name) || (name === 'setTimeout' && second !== undefined))
    if (!isTimer && !isListener) return []
    const callback = isTimer ? first : second
    const registration = isTimer ? name : `${receiver(node)}.${name}(${first?.getText() ?? ''})`
    const key = [path.replace(/^src\//, ''), enclosingName(node), registration].filter((part) => part !== '').join(' ')
    return [{ key, isGuarded: callback !== undefined && isGuarded(callback, file) }]
  })
}

function calleeName({ expression }: ts.CallExpression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
}

/** The emitter, even if other listeners are chained in between. */
function receiver({ expression }: ts.CallExpression): string {
  if (!ts.isPropertyAccessExpression(expression)) return ''
  const target = expression.expression
  return ts.isCallExpression(target) ? receiver(target) : target.getText()
}

/** Name of the nearest function, method or property; empty at the top level of a file. */
function enclosingName(node: ts.Node): string {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (ts.isConstructorDeclaration(at)) return 'constructor'
    if (ts.isPropertyDeclaration(at)) return at.name.getText()
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined) return at.name.getText()
  }
  return ''
}

function isGuarded(callback: ts.Expression, file: ts.SourceFile): boolean {
  const called = resolveFunction(callback, file)
  const statement = called?.body && ts.isBlock(called.body) ? called.body.statements[0] : called?.body
  if (called === undefined || statement === undefined || hasOtherStatements(called)) return false
  if (ts.isTryStatement(statement)) return /\bdestroyFailed\(/.test(statement.catchClause?.getText() ?? '')
  const call = ts.isExpressionStatement(statement) ? statement.expression : statement
  return ts.isCallExpression(call) && /^(?:this\.#)?guarded$/.test(call.expression.getText())
}

function hasOtherStatements({ body }: FunctionLike): boolean {
  return body !== undefined && ts.isBlock(body) && body.statements.length > 1
}

type FunctionLike = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration

/** Returns the function itself, the function with this name in the file, or the function that a factory in the file returns. */
function resolveFunction(value: ts.Node | undefined, file: ts.SourceFile): FunctionLike | undefined {
  if (value === undefined) return undefined
  if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return value
  if (ts.isCallExpression(value)) {
    const factory = resolveFunction(value.expression, file)
    const returned = factory?.body === undefined ? [] : [...listNodes(factory.body)].filter(ts.isReturnStatement)
    return resolveFunction(returned[0]?.expression, file)
  }
  const name = value.getText().replace(/^this\./, '')
  for (const node of listNodes(file)) {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name?.getText() === name) return node
    const isValue = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)
    if (isValue && node.name.getText() === name) return resolveFunction(node.initializer, file)
  }
  return undefined
}
