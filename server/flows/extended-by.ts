import type { Module } from '../kernel/declare/module.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { coreSlugs, nameOfFields } from './kinds.ts'

/** The resources whose objects the flows with a core slug extend. */
export type Extends = Readonly<Record<string, readonly Resource[]>>

/** The resources that flows extend, by the flows' slugs: those that say so, each table once. */
export function extendedBy(chapters: () => readonly Module[]): () => Extends {
  let known: Extends | undefined
  return () => {
    known ??= Object.fromEntries(coreSlugs.map((slug) => [slug, resourcesUnder(chapters(), slug)]))
    return known
  }
}

function resourcesUnder(chapters: readonly Module[], slug: string): readonly Resource[] {
  const name = nameOfFields({ id: '', slug })
  const all = chapters.flatMap(({ resources }) => resources).filter(({ addedUnder }) => addedUnder === name)
  // What writes them first: others only show them.
  const writing = all.toSorted((one, other) => Number(isReadOnly(one)) - Number(isReadOnly(other)))
  return [...new Map(writing.toReversed().map((one) => [one.table, one])).values()].reverse()
}

const isReadOnly = ({ operations }: Resource): boolean =>
  operations !== undefined && !operations.includes('update')
