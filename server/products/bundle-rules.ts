import type { Components } from './product-fields.ts'

/** What is wrong with a bundle, and where. */
export interface Fault {
  readonly path: string
  readonly detail: string
}

const optionsMax = 1500

/** The first thing that is wrong with a bundle, as far as it can be told without looking at its products. */
export function faultIn(components: Components, hasSku: boolean): Fault | undefined {
  const all = Object.entries(components)
  for (const [key, component] of all) {
    const fault = faultOfComponent(component)
    if (fault) return { path: [key, fault.path].filter(Boolean).join('.'), detail: fault.detail }
  }
  const options = all.flatMap(([, component]) => component.options)
  if (options.length > optionsMax) {
    return { path: '', detail: `A bundle has at most ${optionsMax} options, not ${options.length}.` }
  }
  const sold = options.reduce((sum, { quantity }) => sum + quantity, 0)
  if (all.length && !hasSku && sold < 2) {
    return { path: '', detail: 'A bundle without a SKU is of two products at least, or of two of one.' }
  }
  return undefined
}

function faultOfComponent({ options, min, max }: Components[string]): Fault | undefined {
  if (!options.length) return { path: 'options', detail: 'A component has at least one option.' }
  if (isBelow(max, min)) return { path: 'max', detail: 'max must not be less than min.' }
  const defaults = options.filter((option) => option.default).length
  if (isBelow(max, defaults)) {
    return { path: 'options', detail: `At most ${max} of its options may be a default, not ${defaults}.` }
  }
  const ids = options.map(({ id }) => id)
  for (const [i, option] of options.entries()) {
    const path = `options.${i}`
    if (ids.indexOf(option.id) < i) {
      return { path: `${path}.id`, detail: 'A product may be an option of a component only once.' }
    }
    if ((option.min ?? null) === null ? option.max != null : option.max == null) {
      return { path, detail: 'min and max of an option are given both, or neither.' }
    }
    if (isBelow(option.max, option.min)) {
      return { path: `${path}.max`, detail: 'max must not be less than min.' }
    }
  }
  return undefined
}

const isBelow = (high: number | null | undefined, low: number | null | undefined): boolean =>
  high != null && low != null && high < low
