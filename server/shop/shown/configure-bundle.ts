import type { Selection } from '../../prices/index.ts'
import type { Option, PublishedComponent, PublishedComponents, PublishedRow } from './published-row.ts'

/** Checks the selection of a bundle. It does no I/O. */

/** The parent of a child. A child may be selected where its parent is an option. */
type ParentOf = (id: string) => string | undefined

/** Why a selection is refused, and at which component: undefined where the product has none. */
export interface SelectionRefusal {
  readonly detail: string
  readonly component?: string
}

/** The reasons why a selection of a published bundle cannot be bought. Empty if it can. */
export function refusalsOf(
  { id, doc, facts }: PublishedRow,
  selection: Selection,
  parentOf: ParentOf,
): readonly SelectionRefusal[] {
  const { components = {} } = doc.attributes
  const missing = (facts.unfilled ?? []).map((component) => ({
    component,
    detail: `The bundle ${id} cannot be bought: too few options of its component ${component} are for sale.`,
  }))
  const notForSale = new Set(facts.not_for_sale)
  const unsold = Object.entries(selection).flatMap(([component, options]) =>
    Object.keys(options)
      .filter((option) => notForSale.has(option))
      .map((option) => ({
        component,
        detail: `The option ${option} of the component ${component} of the bundle ${id} is not for sale.`,
      })),
  )
  return [...missing, ...unsold, ...wrongIn(components, selection, parentOf)]
}

/** What the components do not allow in a selection: in the order of the selection, then of the components. */
export function wrongIn(
  components: PublishedComponents,
  selection: Selection,
  parentOf: ParentOf = () => undefined,
): readonly SelectionRefusal[] {
  const unknown = Object.keys(selection)
    .filter((key) => !Object.hasOwn(components, key))
    .map((key) => ({ component: key, detail: `No such component ${key}` }))
  const invalid = Object.entries(components).flatMap(([key, component]) =>
    wrongInOne(key, component, Object.hasOwn(selection, key) ? (selection[key] ?? {}) : {}, parentOf).map(
      (detail) => ({ component: key, detail }),
    ),
  )
  return [...unknown, ...invalid]
}

function wrongInOne(
  key: string,
  { options, min, max }: PublishedComponent,
  chosen: Selection[string],
  parentOf: ParentOf,
): readonly string[] {
  const count = Object.keys(chosen).length
  const wrong = Object.entries(chosen).flatMap(([id, quantity]) => {
    const offered = optionsFor(options, id, parentOf)
    if (!offered.length) return [`No option ${id} for component ${key}`]
    return offered.some((option) => mayBe(option, quantity)) ? [] : [`No option ${quantity} for option ${id}`]
  })
  return [
    ...wrong,
    ...(count < (min ?? 0) ? [`Missing selection for component ${key}`] : []),
    ...(max != null && count > max ? [`Too many options for component ${key}: at most ${max}`] : []),
  ]
}

/** If the child itself is an option, that option applies, not its parent's. */
function optionsFor(options: readonly Option[], id: string, parentOf: ParentOf): readonly Option[] {
  const own = options.filter((option) => option.id === id)
  if (own.length) return own
  const parentId = parentOf(id)
  return parentId === undefined ? [] : options.filter((option) => option.id === parentId)
}

/** An option without bounds has the fixed quantity of the merchant. */
const mayBe = ({ quantity, min, max }: Option, selected: number): boolean =>
  min == null || max == null ? selected === quantity : selected >= min && selected <= max
