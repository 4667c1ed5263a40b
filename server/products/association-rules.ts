/** How many custom relationships a product may have, and how many products it may be associated with by each. */
export const limits = { attachedMax: 5, associatedMax: 2000 } as const

export const tooManyAttached =
  `product already has ${limits.attachedMax} custom relationships, cannot associate more as it has reached ` +
  `the limit of ${limits.attachedMax} custom relationships`

/** What there is of a product before it is associated with others. */
export interface Side {
  /** How many custom relationships it has, and whether this is one of them. */
  readonly attached: number
  readonly isAttached: boolean
  /** How many products it is associated with by this one. */
  readonly associated: number
}

/** The other product: also whether the one is associated with it already, and it with the one. */
export interface Other extends Side {
  readonly isAssociated: boolean
  readonly leadsBack: boolean
}

/** Why one product of a request was not associated. */
export interface Refused {
  readonly ID: string
  readonly Details: string
}

/** Which of the products that were asked for are associated, one after the other, and why the rest are not. */
export function decide(
  base: Side & { readonly id: string },
  ids: readonly string[],
  others: ReadonlyMap<string, Other>,
  biDirectional: boolean,
): { readonly associated: readonly string[]; readonly refused: readonly Refused[] } {
  const associated: string[] = []
  const refused: Refused[] = []
  let room = limits.associatedMax - base.associated
  for (const id of ids) {
    const other = others.get(id)
    const why =
      id === base.id ? 'a product cannot be associated with itself' : whyNot(other, room, biDirectional)
    if (why) refused.push({ ID: id, Details: why })
    else {
      associated.push(id)
      if (!other?.isAssociated) room -= 1
    }
  }
  return { associated, refused }
}

function whyNot(other: Other | undefined, room: number, biDirectional: boolean): string | undefined {
  if (!other) return 'could not find product'
  const isBackFull = biDirectional && !other.leadsBack && other.associated >= limits.associatedMax
  if ((!other.isAssociated && room < 1) || isBackFull) {
    return `exceeded maximum allowed associations (${limits.associatedMax}). Please review and try again`
  }
  return biDirectional && !other.isAttached && other.attached >= limits.attachedMax
    ? tooManyAttached
    : undefined
}
