/** Applies decorators as TypeScript does with `experimentalDecorators`, because Node.js cannot parse decorators of parameters. */
import 'reflect-metadata'

/**
 * Decorates a class and its methods.
 *
 * @param {Function} target class
 * @param {object} decorators
 * @param {Function[]} [decorators.class] decorators of the class
 * @param {Record<string, { method: Function[], params?: Function[], types?: Function[] }>} [decorators.methods] by method name: its
 *   decorators, one decorator per parameter, and the types of the parameters
 */
export function decorate(target, { class: ofClass = [], methods = {} }) {
  const { prototype } = target
  for (const [name, { method, params = [], types = [] }] of Object.entries(methods)) {
    Reflect.defineMetadata('design:paramtypes', types, prototype, name)
    for (const [index, decorateParameter] of params.entries()) decorateParameter(prototype, name, index)
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    for (const decorateMethod of method) decorateMethod(prototype, name, descriptor)
  }
  for (const decorateClass of ofClass) decorateClass(target)
  return target
}

/**
 * Decorates the fields of a class.
 *
 * @param {Function} target class
 * @param {Record<string, { type: Function, decorators: Function[] }>} fields by name: the type and the decorators
 */
export function decorateFields(target, fields) {
  for (const [name, { type, decorators }] of Object.entries(fields)) {
    Reflect.defineMetadata('design:type', type, target.prototype, name)
    for (const decorateField of decorators) decorateField(target.prototype, name)
  }
  return target
}
