import type { Ctx } from '../work/context.ts'

/**
 * A kind of thing that has parts: `W` is a thing as a whole, and `C` its contents, which have the parts. Beside the
 * contents, a change may look at `O`. `R` is what a request tells the thing. The other files of this room have the same
 * letters, and for parts: `P` is a part, `V` the values of which a request makes it, `K` the parameters that name its
 * place.
 */
export interface Holder<W, C, O, R> {
  /** The thing, as this caller may see it; otherwise a Problem (404). */
  find(ctx: Ctx, name: string): Promise<W>
  contentsOf(whole: W): C
  /** Locks the thing and changes its contents. If `deed` throws a Problem, nothing is stored. It may run again. */
  change(ctx: Ctx, name: string, deed: (contents: C, on: O) => Promise<C> | C, request?: R): Promise<W>
}

export interface HeldPart {
  readonly id: string
}

/** A list of parts in the contents of a thing. */
export interface PlaceOfParts<C, P extends HeldPart> {
  /** Throws a Problem if there is no such place. `source` is the member of the request that names it. */
  of(contents: C, source?: string): readonly P[]
  set(contents: C, parts: readonly P[]): C
}

/** The id of a part that a request changes, with the time and with the member that has the values. */
export interface PartChange extends HeldPart {
  readonly now: string
  readonly source: string
}

export const partChange = ({ clock }: Ctx, id: string, source: string): PartChange => ({
  id,
  now: clock.now().toISOString(),
  source,
})
