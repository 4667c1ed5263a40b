import type { Component, Components, Option, Selection } from './published-row.ts'

/** What may be chosen of a bundle. Without I/O. */

/** The parent of a product, where it is a child: it may be chosen where its parent is offered. */
type ParentOf = (id: string) => string | undefined

/** Why a selection cannot be bought, in the order of what was chosen, and then of the components; none: it can. */
export function refusalsOf(
  components: Components,
  selection: Selection,
  parentOf: ParentOf = () => undefined,
): readonly string[] {
  const unknown = Object.keys(selection)
    .filter((key) => !Object.hasOwn(components, key))
    .map((key) => `No such component ${key}`)
  const known = Object.entries(components).flatMap(([key, component]) =>
    refusalsIn(key, component, Object.hasOwn(selection, key) ? (selection[key] ?? {}) : {}, parentOf),
  )
  return [...unknown, ...known]
}

function refusalsIn(
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
