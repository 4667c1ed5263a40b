import type { Fields } from '../shape/fields.ts'
import { type Resource, type ResourceDeclaration, resource } from './resource.ts'

type Differences = 'noun' | 'about' | 'table' | 'scope' | 'filter' | 'sort' | 'order' | 'counted'
type MemberDifferences = 'meta' | 'links' | 'include'

/** A list with an operation of its own. An action lists the others, at its route. */
type ListingAddress = { readonly path?: never } | Pick<ResourceDeclaration<Fields>, 'path' | 'parent'>

/**
 * Declares another list of the rows of a resource: of those below another parent, in another order. What it does not
 * say is as in the resource; its filters are added to those of the resource. Clients write its objects there.
 */
export function listing<const F extends Fields, const Meta extends Fields, const Links extends Fields>(
  of: Resource<F>,
  own: Partial<Pick<ResourceDeclaration<F, Meta, Links>, Differences | MemberDifferences>> & ListingAddress,
): Resource<F> {
  const { parent: _parent, scope: _scope, most: _most, ...same } = of
  const operations = own.path === undefined ? [] : (['list'] as const)
  const filter = own.filter && { filter: { ...of.filter, ...own.filter } }
  return resource({ ...same, operations, ...own, ...filter })
}
