import type { FilterRule } from '../kernel/shape/model.ts'

/** No amount is larger: see docs/money.md. */
const amountMax = Number.MAX_SAFE_INTEGER

const clamped = (value: number): number => Math.min(Math.max(value, -amountMax), amountMax)

/** The whole numbers that a comparison with any number finds. */
const bounds = {
  lt: (value: number) => ['<', Math.ceil(value)],
  le: (value: number) => ['<=', Math.floor(value)],
  gt: (value: number) => ['>', Math.floor(value)],
  ge: (value: number) => ['>=', Math.ceil(value)],
} as const satisfies Record<string, (value: number) => readonly [string, number]>

/** A filter by an amount. It compares whole numbers: the index of the column cannot answer a fraction. */
export const amountIn = (column: string): FilterRule => ({
  ops: ['eq', 'lt', 'le', 'gt', 'ge'],
  type: 'number',
  where: (op, values, bind) => {
    const numbers = values.map(Number)
    if (op === 'eq' || op === 'in') {
      return `${column} = ANY(${bind(numbers.filter(Number.isSafeInteger))}::bigint[])`
    }
    const [sign, bound] = bounds[op as keyof typeof bounds](clamped(numbers[0] ?? 0))
    return `${column} ${sign} ${bind(bound)}::bigint`
  },
})
