import type { FilterRule, Model } from '../shape/model.ts'

type AnyFunction = (...args: never[]) => unknown

/**
 * A function that a module calls and a later module defines, such as what else happens when an object is cancelled. It
 * is called like any other function.
 */
type Hook<F extends AnyFunction> = F & { readonly slot: Slot }

interface Slot {
  readonly name: string
  body: AnyFunction | undefined
}

/** Declares a hook. Error messages show its name. */
export function hook<F extends AnyFunction>(name: string): Hook<F> {
  const slot: Slot = { name, body: undefined }
  const call = (...args: never[]) => {
    if (!slot.body) throw new Error(`No module fills the hook ${name}`)
    return slot.body(...args)
  }
  return Object.assign(call as unknown as F, { slot })
}

/** What a module adds to an earlier one, which it uses. `joined` applies it. */
export type Addition = () => void

/** Defines a hook. Throws, when it is applied, if the hook has another definition. */
export const fill =
  <F extends AnyFunction>({ slot }: Hook<F>, body: NoInfer<F>): Addition =>
  () => {
    if (slot.body && slot.body !== body) throw new Error(`Two modules fill the hook ${slot.name}`)
    slot.body = body
  }

/** Adds filters to a resource, such as one by rows of a later module. */
export const addFilters =
  ({ filter }: Model, filters: Readonly<Record<string, FilterRule>>): Addition =>
  () => {
    Object.assign(filter as object, filters)
  }
