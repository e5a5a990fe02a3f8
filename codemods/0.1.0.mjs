/**
 * Renames the public names that version 0.1.0 changes, and imports stores in Redis from `verbena/redis`, in TypeScript and JavaScript files.
 * Needs the package `typescript`.
 *
 *   node 0.1.0.mjs <file or folder>...
 *
 * Changes: imported types, properties and options, values of options, states and methods of idempotency stores, and the diagnostics channel.
 * It reads syntax, not types: a method is renamed in objects and classes that look like a store, and in calls on values that are declared as
 * one in the same file. It does not change behavior: read the section "Breaking" of the changelog too.
 */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

const TYPES = new Map(
  Object.entries({
    ...{ CallStart: 'RequestStart', CallLocated: 'RequestRouted', CallEnd: 'RequestEnd', CallError: 'RequestError' },
    ...{ CallBegun: 'StartedRequest', CallInput: 'RequestInput', AnswerOptions: 'ResponseOptions' },
    ...{ AskedBytes: 'BytesBody', AskedForm: 'FormBody', AskedJson: 'JsonBody', AskedText: 'TextBody' },
    ...{ DocumentWanted: 'DocumentOptions', Needed: 'RequiredServices', Extra: 'AdditionalServices' },
    ...{ Listening: 'ListenResult', Charged: 'ChargeResult', MissingAnswer: 'MissingResponse' },
    ...{ AnsweredKey: 'CompletedKey', OpenKey: 'IncompleteKey' },
    ...{ AskedFile: 'BlobOf', AskedFiles: 'BlobsOf', AskedParts: 'FormDataBody', AskedMembers: 'MultipartObjectBody' },
    ...{ AskedMultipart: 'MultipartRequestBody', Asked: 'EndpointOptions', Answers: 'EndpointResponses' },
  }),
)
const STATES = new Map([
  ['in work', 'in-progress'],
  ['other request', 'mismatch'],
  ['answered', 'completed'],
])
/** Methods of idempotency stores. */
const METHODS = new Map([
  ['keep', 'complete'],
  ['keepWithin', 'completeWithin'],
  ['free', 'release'],
])
const STORE_MODULE = /^verbena\/(?:idempotency|postgres|redis|sqlite)$/
const STORE_TYPE = /^IdempotencyStore(?:Within)?$/
const STORE_FUNCTION = /^(?:await )?(?:redis|postgres|sqlite)Idempotency\(/
/** Names that moved from these modules to `verbena/redis`. */
const REDIS_NAME = /^(?:redis(?:Sessions|Idempotency|Limits)|Redis(?:(?:Sessions|Idempotency|Limits)Options|Client))$/
const FORMER_MODULE = /^verbena\/(?:session|idempotency|limits)$/
const CHANNELS = new Map([['verbena:request:located', 'verbena:request:routed']])
/** Options of functions, as `[old name, old value, new name, new value]`. Without values, only the name changes. */
const OPTIONS = new Map([
  ['optional', ['invalid', 'refuse', 'invalid', 'reject']],
  ['signedCookie', ['age', null, 'lifetime', null]],
  ['sealedCookie', ['age', null, 'lifetime', null]],
  ['sqliteIdempotency', ['answers', null, 'responses', null]],
])

/** Returns the source with the new names. Files that do not import Verbena only get the new name of the channel. */
export function transform(source, path = 'file.ts') {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const imports = file.statements.filter((each) => ts.isImportDeclaration(each) || ts.isExportDeclaration(each))
  const own = imports.filter(({ moduleSpecifier }) => /^verbena(?:\/|$)/.test(moduleSpecifier?.text ?? ''))
  const specifiers = own.flatMap((each) => (each.importClause?.namedBindings ?? each.exportClause)?.elements ?? [])
  const isStore = own.some(({ moduleSpecifier }) => STORE_MODULE.test(moduleSpecifier.text))
  const stores = findStores(file, specifiers)
  const edits = []
  const replace = (node, text) => edits.push({ start: node.getStart(file), end: node.end, text })

  /** Types that the file uses under their old names. */
  const renamed = new Map()
  /** Functions of Verbena by their names in the file. */
  const functions = new Map()
  for (const { name, propertyName, parent } of specifiers) {
    const imported = (propertyName ?? name).text
    functions.set(name.text, OPTIONS.get(imported))
    const next = TYPES.get(imported)
    if (next === undefined) continue
    if (propertyName !== undefined) replace(propertyName, next)
    else if (ts.isNamedExports(parent) || isDeclared(file, next)) replace(name, `${next} as ${name.text}`)
    else renamed.set(name.text, next)
  }
  for (const each of own.filter(({ moduleSpecifier }) => FORMER_MODULE.test(moduleSpecifier.text))) moveNames(each)
  visit(file)
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: next }) => text.slice(0, start) + next + text.slice(end), source)

  function visit(node) {
    if (ts.isStringLiteralLike(node)) visitString(node)
    if (ts.isIdentifier(node) && renamed.has(node.text) && !isKey(node)) replace(node, renamed.get(node.text))
    if (ts.isIdentifier(node) && own.length > 0 && node.text === 'wayOut') renameWayOut(node)
    if (ts.isCallExpression(node)) visitCall(node)
    if (isStore) visitStore(node)
    ts.forEachChild(node, visit)
  }

  /** Moves names into a second declaration, or changes the module of the declaration if it has no other names. */
  function moveNames(declaration) {
    const { importClause, exportClause, moduleSpecifier } = declaration
    const names = [...((importClause?.namedBindings ?? exportClause)?.elements ?? [])]
    const isMoved = ({ name, propertyName }) => REDIS_NAME.test((propertyName ?? name).text)
    const moved = names.filter(isMoved)
    if (moved.length === 0) return
    if (moved.length === names.length) return replaceString(moduleSpecifier, 'verbena/redis')
    const lastOther = names.findLastIndex((each) => !isMoved(each))
    for (const [at, each] of names.entries()) {
      if (!isMoved(each)) continue
      const [start, end] =
        at > lastOther ? [names[at - 1].end, each.end] : [each.getStart(file), names[at + 1].getStart(file)]
      edits.push({ start, end, text: '' })
    }
    const [keyword] = /^\w+(?: type)?/.exec(declaration.getText(file))
    const [, quote, end] = /(['"])(;?)$/.exec(declaration.getText(file))
    const list = moved.map((each) => each.getText(file)).join(', ')
    const text = `\n${keyword} { ${list} } from ${quote}verbena/redis${quote}${end}`
    edits.push({ start: declaration.end, end: declaration.end, text })
  }

  function visitString(node) {
    const next = CHANNELS.get(node.text) ?? (isStore && isState(node) ? STATES.get(node.text) : undefined)
    if (next !== undefined) replaceString(node, next)
  }

  function replaceString(node, text) {
    const quote = source[node.getStart(file)]
    replace(node, quote + text + quote)
  }

  function renameWayOut(node) {
    const { parent } = node
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) replace(node, 'fix')
    else if (ts.isBindingElement(parent) && parent.propertyName === node) replace(node, 'fix')
    else if (ts.isBindingElement(parent) && !parent.propertyName && ts.isObjectBindingPattern(parent.parent))
      replace(node, 'fix: wayOut')
  }

  function visitStore(node) {
    const name = node.name?.text
    const next = METHODS.get(name)
    if (ts.isPropertyAccessExpression(node)) {
      if (next !== undefined && stores.isStore(node.expression)) replace(node.name, next)
      if (name === 'answer' && stores.hasState(node.expression)) replace(node.name, 'response')
    } else if (ts.isIndexedAccessTypeNode(node)) {
      const { literal } = node.indexType
      if (stores.isType(node.objectType) && METHODS.has(literal?.text))
        replaceString(literal, METHODS.get(literal.text))
    } else if (next !== undefined && stores.isShape(node.parent)) renameKey(node, next)
    else if ((node.propertyName ?? node.name)?.text === 'answer' && isStateMember(node)) renameKey(node, 'response')
  }

  function renameKey(node, next) {
    if (node.propertyName !== undefined) return replace(node.propertyName, next)
    const isShort = ts.isShorthandPropertyAssignment(node) || ts.isBindingElement(node)
    replace(node.name, isShort ? `${next}: ${node.name.text}` : next)
  }

  function visitCall(call) {
    const [key, value, newKey, newValue] = functions.get(call.expression.getText(file)) ?? []
    const options = call.arguments.filter(ts.isObjectLiteralExpression).flatMap(({ properties }) => [...properties])
    for (const property of options.filter(({ name }) => name !== undefined && name.getText(file) === key)) {
      if (ts.isShorthandPropertyAssignment(property)) replace(property, `${newKey}: ${key}`)
      else if (value === null) replace(property.name, newKey)
      else if (property.initializer?.text === value) replaceString(property.initializer, newValue)
    }
  }
}

/** Finds the values and types of a file that are idempotency stores. */
function findStores(file, specifiers) {
  const types = specifiers.filter(({ name, propertyName }) => STORE_TYPE.test((propertyName ?? name).text))
  const typeNames = new Set(types.map(({ name }) => name.text))
  const names = new Set()
  const stateOwners = new Set()
  visit(file)
  return {
    isType,
    isShape,
    isStore(node) {
      if (node.kind !== ts.SyntaxKind.ThisKeyword && node.kind !== ts.SyntaxKind.SuperKeyword)
        return names.has((node.name ?? node).text)
      return isShape(ts.findAncestor(node, (each) => ts.isClassLike(each) || ts.isObjectLiteralExpression(each)))
    },
    /** Whether the file reads the property `state` of the same value. */
    hasState: (node) => stateOwners.has(node.getText(file)),
  }

  function visit(node) {
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'state')
      stateOwners.add(node.expression.getText(file))
    if (node.name !== undefined && (isType(node.type) || isCreated(node.initializer))) names.add(node.name.text)
    ts.forEachChild(node, visit)
  }

  function isType(node) {
    return node !== undefined && ts.isTypeReferenceNode(node) && typeNames.has(node.typeName.text)
  }

  function isCreated(node) {
    return node !== undefined && (STORE_FUNCTION.test(node.getText(file)) || isShape(node))
  }

  /** Whether an object or class has the methods of a store, or is declared as one. */
  function isShape(node) {
    if (node === undefined) return false
    const heritage = (node.heritageClauses ?? []).flatMap((clause) => clause.types)
    if (heritage.some(({ expression }) => typeNames.has(expression.text))) return true
    const members = (node.properties ?? node.members ?? []).map(({ name }) => name?.text)
    return members.includes('claim') && members.some((name) => METHODS.has(name))
  }
}

/** Whether a property of an object, a type or a pattern is beside the property `state`. */
function isStateMember(node) {
  const { parent } = node
  const members = parent.properties ?? parent.members ?? (ts.isObjectBindingPattern(parent) ? parent.elements : [])
  return members.some((each) => (each.propertyName ?? each.name)?.text === 'state')
}

function isDeclared(file, name) {
  let isFound = false
  visit(file)
  return isFound

  function visit(node) {
    if (ts.isIdentifier(node) && node.text === name && !isKey(node)) isFound = true
    ts.forEachChild(node, visit)
  }
}

/** Whether an identifier is the name of a property, instead of a reference. */
function isKey(node) {
  const { parent } = node
  const isAccess = ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)
  if (isAccess) return (parent.name ?? parent.right) === node
  return /^(?:Property|Method|GetAccessor|SetAccessor)/.test(ts.SyntaxKind[parent.kind]) && parent.name === node
}

/** Whether a string is a state of a store: `{ state: 'answered' }`, `x.state === 'answered'`, or a type of it. */
function isState(node) {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) return parent.name.text === 'state' && parent.initializer === node
  if (ts.isBinaryExpression(parent)) return [parent.left, parent.right].some(isStateValue)
  if (ts.isCaseClause(parent)) return isStateValue(parent.parent.parent.expression)
  return ts.isLiteralTypeNode(parent) && ts.isPropertySignature(parent.parent) && parent.parent.name.text === 'state'
}

function isStateValue(node) {
  return (node.name ?? node).text === 'state'
}

function listFiles(path) {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && !name.startsWith('.'))
    .flatMap((entry) => listFiles(join(path, entry.name)))
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const paths = process.argv.slice(2)
  if (paths.length === 0) console.log('Usage: node 0.1.0.mjs <file or folder>...')
  for (const path of paths.flatMap(listFiles)) {
    const source = readFileSync(path, 'utf8')
    const changed = transform(source, path)
    if (changed === source) continue
    writeFileSync(path, changed)
    console.log(`changed ${path}`)
  }
}
