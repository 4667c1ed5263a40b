import type { Selection } from '../pricing/index.ts'
import type { Component, Components, Option, PublishedRow } from './published-row.ts'

/** What may be chosen of a bundle. Without I/O. */

/** The parent of a product, where it is a child: it may be chosen where its parent is offered. */
type ParentOf = (id: string) => string | undefined

/** Why a selection is refused, and at which component. */
export interface Refusal {
  readonly detail: string
  readonly component: string
}

/** Why a selection of a published bundle cannot be bought, the first first; empty when it can. */
export function refusalsOf(
  { id, doc, facts }: PublishedRow,
  selection: Selection,
  parentOf: ParentOf,
): readonly Refusal[] {
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

/** What of a selection the components do not allow, in the order of what was chosen, and then of the components. */
export function wrongIn(
  components: Components,
  selection: Selection,
  parentOf: ParentOf = () => undefined,
): readonly Refusal[] {
  const unknown = Object.keys(selection)
    .filter((key) => !Object.hasOwn(components, key))
    .map((key) => ({ component: key, detail: `No such component ${key}` }))
  const known = Object.entries(components).flatMap(([key, component]) =>
    wrongInOne(key, component, Object.hasOwn(selection, key) ? (selection[key] ?? {}) : {}, parentOf).map(
      (detail) => ({ component: key, detail }),
    ),
  )
  return [...unknown, ...known]
}

function wrongInOne(
  key: string,
  { options, min, max }: Component,
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

/** A child that is offered itself is what it is offered as. */
function optionsFor(options: readonly Option[], id: string, parentOf: ParentOf): readonly Option[] {
  const own = options.filter((option) => option.id === id)
  if (own.length) return own
  const parentId = parentOf(id)
  return parentId === undefined ? [] : options.filter((option) => option.id === parentId)
}

/** Without bounds of its own, as many are bought as the merchant says. */
const mayBe = ({ quantity, min, max }: Option, wanted: number): boolean =>
  min == null || max == null ? wanted === quantity : wanted >= min && wanted <= max
