/** The limits of custom relationships per product, and of associated products per relationship. */
export const limits = { attachedMax: 5, associatedMax: 2000 } as const

export const tooManyAttached =
  `product already has ${limits.attachedMax} custom relationships, cannot associate more as it has reached ` +
  `the limit of ${limits.attachedMax} custom relationships`

/** A product before it is associated with others. */
interface Side {
  /** How many custom relationships the product has, and whether this is one of them. */
  readonly attached: number
  readonly isAttached: boolean
  /** How many products it is associated with by this relationship. */
  readonly associated: number
}

/** The other product, and whether the two are already associated, in either direction. */
export interface Other extends Side {
  readonly isAssociated: boolean
  readonly leadsBack: boolean
}

/** Why a product of a request was not associated. */
export interface AssociationRefusal {
  readonly ID: string
  readonly Details: string
}

/** Decides which products of a request are associated, in their order, and why the others are not. */
export function decide(
  base: Side & { readonly id: string },
  ids: readonly string[],
  others: ReadonlyMap<string, Other>,
  biDirectional: boolean,
): { readonly associated: readonly string[]; readonly refused: readonly AssociationRefusal[] } {
  const associated: string[] = []
  const refused: AssociationRefusal[] = []
  let room = limits.associatedMax - base.associated
  for (const id of ids) {
    const other = others.get(id)
    const reason =
      id === base.id ? 'a product cannot be associated with itself' : findReason(other, room, biDirectional)
    if (reason) refused.push({ ID: id, Details: reason })
    else {
      associated.push(id)
      if (!other?.isAssociated) room -= 1
    }
  }
  return { associated, refused }
}

function findReason(other: Other | undefined, room: number, biDirectional: boolean): string | undefined {
  if (!other) return 'could not find product'
  const isBackFull = biDirectional && !other.leadsBack && other.associated >= limits.associatedMax
  if ((!other.isAssociated && room < 1) || isBackFull) {
    return `exceeded maximum allowed associations (${limits.associatedMax}). Please review and try again`
  }
  return biDirectional && !other.isAttached && other.attached >= limits.attachedMax
    ? tooManyAttached
    : undefined
}
