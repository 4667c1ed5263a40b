import { type Module, module } from '../kernel/module.ts'
import { bulkChangeRefusals, bulkChanges, forgetBulkChanges } from './bulk-changes.ts'
import { createBulkChange } from './create-bulk-change.ts'
import { runBulkChange } from './run-bulk-change.ts'
import { ChangeableLists } from './targets.ts'
import { cancelBulkChange, undoBulkChange } from './undo-bulk-change.ts'

/** Changes of many objects at once, of all lists of these modules. */
export function bulkChange(modules: () => readonly Module[]): Module {
  const targets = new ChangeableLists(modules)
  const job = runBulkChange(targets)
  return module({
    name: 'bulk-changes',
    about: 'Changes many objects of a list at once, and puts them back.',
    resources: [bulkChanges, bulkChangeRefusals],
    actions: [createBulkChange(targets, job), undoBulkChange(targets, job), cancelBulkChange],
    jobs: [job],
    chores: [forgetBulkChanges],
  })
}
