import type { Components } from './product-fields.ts'

/** A fault of a bundle, and where it is. */
interface BundleFault {
  readonly path: string
  readonly detail: string
}

const optionsMax = 1500

/** Finds the first fault of a bundle, without reading its products. */
export function findFault(components: Components, hasSku: boolean): BundleFault | undefined {
  const all = Object.entries(components)
  for (const [key, component] of all) {
    const fault = findComponentFault(key, component)
    if (fault) return { path: [key, fault.path].filter(Boolean).join('.'), detail: fault.detail }
  }
  const options = all.flatMap(([, component]) => component.options)
  if (options.length > optionsMax) {
    return { path: '', detail: `A bundle has at most ${optionsMax} options; this one has ${options.length}.` }
  }
  const sold = options.reduce((sum, { quantity }) => sum + quantity, 0)
  if (all.length && !hasSku && sold < 2) {
    return { path: '', detail: 'A bundle without a SKU needs at least two products, or a quantity of two.' }
  }
  return undefined
}

function findComponentFault(key: string, { options, min, max }: Components[string]): BundleFault | undefined {
  const the = `The component ${key}`
  if (!options.length) return { path: 'options', detail: `${the} needs at least one option.` }
  if (isBelow(max, min)) {
    return { path: 'max', detail: `${the} has a max of ${max}, which is less than its min of ${min}.` }
  }
  if (isBelow(options.length, min)) {
    const has = options.length === 1 ? 'one option' : `${options.length} options`
    return { path: 'min', detail: `${the} has ${has}, which is less than its min of ${min}.` }
  }
  const defaults = options.filter((option) => option.default).length
  if (isBelow(max, defaults)) {
    return {
      path: 'options',
      detail: `${the} has ${defaults} default options, which is more than its max of ${max}.`,
    }
  }
  const ids = options.map(({ id }) => id)
  for (const [i, option] of options.entries()) {
    const path = `options.${i}`
    if (ids.indexOf(option.id) < i) {
      return { path: `${path}.id`, detail: `${the} has the product ${option.id} twice.` }
    }
    if ((option.min ?? null) === null ? option.max != null : option.max == null) {
      return { path, detail: `${the} has an option with only one of min and max: send both, or neither.` }
    }
    if (isBelow(option.max, option.min)) {
      const detail = `${the} has an option with a max of ${option.max}, which is less than its min of ${option.min}.`
      return { path: `${path}.max`, detail }
    }
  }
  return undefined
}

const isBelow = (high: number | null | undefined, low: number | null | undefined): boolean =>
  high != null && low != null && high < low
