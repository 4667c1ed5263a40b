import { type Module, module, resourcesOf } from '../../kernel/module.ts'
import type { Model } from '../../kernel/shape/model.ts'
import { listAudit } from './list-audit.ts'
import { listChanges } from './list-changes.ts'

/** What has changed in a store, for readers who follow it and for auditors. `modules` are all of the server. */
export function changes(modules: () => readonly Module[]): Module {
  let models: ReadonlyMap<string, Model> | undefined
  const modelOf = (table: string) => {
    models ??= new Map(resourcesOf(modules()).map((resource) => [resource.table, resource]))
    return models.get(table)
  }
  return module({
    name: 'changes',
    about: 'What has changed in the store: for readers who follow it, and for audits.',
    actions: [listChanges(modelOf), listAudit(modelOf)],
  })
}
