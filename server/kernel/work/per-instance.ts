import type { Instance } from './context.ts'

/** Something that a process remembers for each of the servers in it: tests run several. */
export function perInstance<T>(make: (instance: Instance) => T): (instance: Instance) => T {
  const made = new WeakMap<Instance, T>()
  return (instance) => {
    const known = made.get(instance) ?? make(instance)
    made.set(instance, known)
    return known
  }
}
