import { describeModule, type Module } from '../module.ts'

/** Groups of tags, each with the names of the modules whose operations have it. */
export type TagGroups = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** `list-old-gadgets` becomes `List old gadgets`. */
export function phrase(name: string): string {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The tag of the operations of a module: the one that stands for it in the groups, or its own name. */
export function tagOf(groups: TagGroups, name: string): string {
  const all = Object.values(groups).flatMap((tags) => Object.entries(tags))
  return all.find(([, names]) => names.includes(name))?.[0] ?? phrase(name)
}

/** The tags of these modules in the order of their groups, and then the others; with the groups. */
export function tagsOf(groups: TagGroups, modules: readonly Module[]) {
  const used = Map.groupBy(
    modules.filter(({ operations }) => operations.length > 0),
    ({ name }) => tagOf(groups, name),
  )
  const grouped = Object.entries(groups)
    .map(([name, tags]) => ({ name, tags: Object.keys(tags).filter((tag) => used.has(tag)) }))
    .filter(({ tags }) => tags.length > 0)
  const names = new Set([...grouped.flatMap(({ tags }) => tags), ...used.keys()])
  return {
    tags: [...names].map((name) => ({
      name,
      description: (used.get(name) ?? []).map(describeModule).join(' '),
    })),
    'x-tagGroups': grouped,
  }
}
