const form = process.env.SUTLER_TESTS

/**
 * Whether the suite runs in its long form, `npm run test:long`: every law on everything it holds for, each with more
 * examples.
 */
export const isLong = form === 'long'

/**
 * Whether an expensive law of the kernel runs on everything it holds for, not on representatives only: in the long
 * form, and where someone names tests (`npm test -- contract -t brand`). See tests/contract/classes.ts.
 */
export const takesAll = isLong || form === 'named'

/** How many examples a property is tried with. */
export const tries = (usual: number, long: number): number => (isLong ? long : usual)

/** The first `usual` of these, or in the long form all. */
export const some = <T>(usual: number, all: readonly T[]): readonly T[] =>
  isLong ? all : all.slice(0, usual)
