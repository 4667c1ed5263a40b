import type { Instance } from './context.ts'

/** Something that a process remembers for each of the servers in it: tests run several. */
export function perInstance<T>(make: (instance: Instance) => T): (instance: Instance) => T {
  const values = new WeakMap<Instance, T>()
  return (instance) => {
    const value = values.get(instance) ?? make(instance)
    values.set(instance, value)
    return value
  }
}
