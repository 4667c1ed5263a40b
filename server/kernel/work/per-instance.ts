import type { Instance } from './context.ts'

/** A value per server in this process: tests run several servers in one process. */
export function perInstance<T>(make: (instance: Instance) => T): (instance: Instance) => T {
  const values = new WeakMap<Instance, T>()
  return (instance) => {
    const value = values.get(instance) ?? make(instance)
    values.set(instance, value)
    return value
  }
}
