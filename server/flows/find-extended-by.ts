import type { Resource } from '../kernel/declare/resource.ts'
import type { Module } from '../kernel/module.ts'
import { coreSlugs, nameOfFields } from './kinds.ts'

/** The resources of the objects that core flows extend, by slug of the flow. */
export type ExtendedResources = Readonly<Record<string, readonly Resource[]>>

/** Finds the resources that core flows extend, by slug of the flow: those that declare it, each table once. */
export function findExtendedBy(chapters: () => readonly Module[]): () => ExtendedResources {
  let cached: ExtendedResources | undefined
  return () => {
    cached ??= Object.fromEntries(coreSlugs.map((slug) => [slug, resourcesUnder(chapters(), slug)]))
    return cached
  }
}

function resourcesUnder(chapters: readonly Module[], slug: string): readonly Resource[] {
  const name = nameOfFields({ id: '', slug })
  const all = chapters.flatMap(({ resources }) => resources).filter(({ addedUnder }) => addedUnder === name)
  // Writable resources first: others only show the same rows.
  const writersFirst = all.toSorted((one, other) => Number(isReadOnly(one)) - Number(isReadOnly(other)))
  return [...new Map(writersFirst.toReversed().map((one) => [one.table, one])).values()].reverse()
}

const isReadOnly = ({ operations }: Resource): boolean =>
  operations !== undefined && !operations.includes('update')
