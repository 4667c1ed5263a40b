import { isId } from '../../kernel/ids.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Selection } from '../../prices/index.ts'
import type { ShopContext } from '../view/shop-context.ts'
import { refusalsOf, type SelectionRefusal } from './configure-bundle.ts'
import { findParents, type PublishedComponents, type PublishedRow } from './published-row.ts'

type ShopEdition = Pick<ShopContext, 'published'>

/** Says why a shopper cannot buy a published product with a selection of options. Undefined if they can. */
export async function refuseSelection(
  work: Pick<Ctx, 'store'>,
  of: ShopEdition,
  row: PublishedRow,
  selection: Selection,
): Promise<SelectionRefusal | undefined> {
  const { components } = row.doc.attributes
  if (!components) return { detail: `The product ${row.id} is not a bundle, so it has no options to select.` }
  const parents = await parentsOf(work, of, components, selection)
  const [refusal] = refusalsOf(row, selection, (id) => parents.get(id))
  return refusal
}

/** A bundle has no more options, so no more selected products are looked up. */
const chosenMax = 1500

/** The parents of selected products that are not options themselves, if these are published children of an option. */
async function parentsOf(
  work: Pick<Ctx, 'store'>,
  of: ShopEdition,
  components: PublishedComponents,
  selection: Selection,
): Promise<ReadonlyMap<string, string>> {
  const offered = new Set(Object.values(components).flatMap(({ options }) => options.map(({ id }) => id)))
  const chosen = Object.values(selection).flatMap((options) => Object.keys(options))
  const others = chosen.filter((id) => isId(id) && !offered.has(id))
  return findParents(work, of, others.slice(0, chosenMax), [...offered])
}
