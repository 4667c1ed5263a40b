// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

/** The operations of an API document by their ids. */
export const operationsOf = (document: Node): ReadonlyMap<string, Node> =>
  new Map(
    Object.values<Node>(document.paths).flatMap((path) =>
      Object.values<Node>(path).map((operation) => [operation.operationId, operation] as const),
    ),
  )

/** What stands in an example for the ids and the texts of a store, which no example knows. */
const placeholders = ['00000000-0000-4000-8000-000000000000', 'Example']

/** An example with the values of a valid body in these places. */
export function withIds(example: Node, valid: Node): Node {
  if (placeholders.includes(example)) return typeof valid === 'string' ? valid : example
  if (typeof example !== 'object' || example === null) return example
  if (Array.isArray(example))
    return example.map((one, i) => withIds(one, Array.isArray(valid) ? valid[i] : valid))
  const members = Object.entries(example).map(([name, one]) => [name, withIds(one, valid?.[name])])
  return Object.fromEntries(members)
}

/** A form with the parts of an example. */
export function formOf({ properties }: Node, example: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, part] of Object.entries(example)) {
    if (properties[name].format === 'binary') form.append(name, new Blob([part]), 'example.txt')
    else form.append(name, part)
  }
  return form
}
