import { type Input, input } from '../body/input.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { Ctx } from '../work/context.ts'

/**
 * A resource without an id: an object that each store has exactly one of, its settings of one kind. Unset fields have
 * their defaults. It is changed and versioned as any other object.
 */
export interface Singleton<F extends Fields = Fields> {
  /** The name its row is stored under, and the operation id's noun. */
  readonly name: string
  readonly type: string
  readonly about: string
  readonly path: string
  /** No field may be hidden: the table has no column for hidden values. */
  readonly fields: F
  readonly area: string
  readonly operations: readonly ('get' | 'update' | 'delete')[]
  /** For the API document: the members that `show` adds to `data` and beside it. */
  readonly shows?: { readonly data?: Fields; readonly beside?: Fields }
  /** Refuses values that the schemas of the fields cannot refuse. */
  check?(values: Values<F>): void
  /** Returns the whole body of the response. */
  show(ctx: Ctx, values: Values<F>): Promise<object> | object
  readonly input: Input<F>
}

export const singleton = <const F extends Fields>(declared: Omit<Singleton<F>, 'input'>): Singleton<F> => ({
  ...declared,
  input: input(declared),
})
