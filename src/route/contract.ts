/** Contracts at run time: data on a class, checked when the class is made. */
import type { Contract, ContractSpec } from './contract-types.js'
import { checkContract } from './contract-checks.js'

class StaticContract implements Contract<ContractSpec> {
  readonly '~spec': ContractSpec

  constructor(spec: ContractSpec) {
    this['~spec'] = spec
  }
}

/** Checks what an author wrote and makes a contract of it. */
export function contract(owner: string, spec: unknown): Contract<ContractSpec> {
  return Object.freeze(new StaticContract(Object.freeze({ ...checkContract(owner, spec) })))
}

/** Tells whether a static member is a contract, and reads it. Returns what the contract says, or `undefined`. */
export function readContract(value: unknown): ContractSpec | undefined {
  return value instanceof StaticContract ? value['~spec'] : undefined
}
