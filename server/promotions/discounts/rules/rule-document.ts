/** A rule promotion as it is stored. */
export interface RuleDocument {
  readonly id: string
  readonly name: string
  readonly priority?: number | null | undefined
  readonly enabled?: boolean | undefined
  readonly automatic?: boolean | undefined
  readonly stackable?: boolean | undefined
  readonly override_stacking?: boolean | undefined
  /** A day, which begins at midnight UTC, or a day and a time. */
  readonly start: string
  readonly end: string
  readonly rule_set: RuleSet
}

export interface RuleSet {
  readonly catalog_ids?: readonly string[] | null | undefined
  readonly currencies?: readonly string[] | null | undefined
  /** A list stands for `and`. Absent: any cart. */
  readonly rules?: RuleNode | readonly RuleNode[] | null | undefined
  readonly actions: readonly RuleAction[]
}

/** A node of a tree of conditions: see `conditions/` for each strategy. */
export interface RuleNode {
  readonly strategy: string
  readonly operator?: string | undefined
  readonly args?: readonly unknown[] | undefined
  readonly children?: readonly RuleNode[] | undefined
}

export interface RuleAction {
  readonly strategy: string
  readonly args: ActionArgs
  /** A list stands for `and`. */
  readonly condition?: RuleNode | readonly RuleNode[] | null | undefined
  readonly limitations?: Limitations | null | undefined
}

/** The last is some units for an amount, and only items have it. */
export type ActionArgs =
  | readonly ['fixed', number]
  | readonly ['percent', number]
  | readonly ['fixed_price', number]
  | readonly ['fixed_price', number, number]

export interface Limitations {
  /** The most that the action takes off a cart. */
  readonly max_discount?: number | undefined
  /** Units of each line. */
  readonly max_quantity?: number | undefined
  readonly items?:
    | {
        /** Lines. */
        readonly max_items?: number | undefined
        /** Units of all lines. */
        readonly max_units?: number | undefined
        readonly price_strategy?: 'cheapest' | 'expensive' | undefined
        readonly auto_add?: boolean | undefined
        readonly show_suggestions?: boolean | undefined
      }
    | null
    | undefined
}

/** Trees are compiled and walked by recursion, so they must not be deep. */
export const treeLimits = { depthMax: 10, nodesMax: 500 } as const
