/**
 * Whether the suite runs in its long form, `npm run test:long`. Both forms test every law on everything it holds for;
 * the long form tries each with more examples.
 */
export const isLong = process.env.SUTLER_TESTS === 'long'

/** How many examples a property is tried with. */
export const tries = (usual: number, long: number): number => (isLong ? long : usual)

/** The first `usual` of these, or in the long form all. */
export const some = <T>(usual: number, all: readonly T[]): readonly T[] =>
  isLong ? all : all.slice(0, usual)
