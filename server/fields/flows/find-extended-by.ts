import { hook } from '../../kernel/declare/hook.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import type { Module } from '../../kernel/module.ts'
import { type CoreSlug, isCore, nameOfFields } from './kinds.ts'

type FindResources = (slug: string) => readonly Resource[]

/** The resources that a core flow extends: those that declare it, each table once. */
export const extendedBy = hook<FindResources>('extendedBy')

/** Looks the resources up in all modules, when they are known. */
export function findExtendedBy(chapters: () => readonly Module[]): FindResources {
  const cached: Partial<Record<CoreSlug, readonly Resource[]>> = {}
  return (slug) => {
    if (!isCore(slug)) return []
    cached[slug] ??= resourcesUnder(chapters(), slug)
    return cached[slug]
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
