import { type Module, module } from '../kernel/declare/module.ts'
import { entryOperations } from './entry-operations.ts'
import { linkEntry } from './entry-relationships.ts'
import { extendedBy } from './extended-by.ts'
import { getFieldOfFlow, listFieldsOfFlow } from './fields-of-flow.ts'
import { flowFields } from './flow-fields.ts'
import { flows as flowResource, flowsWith } from './flows.ts'
import { getStoreApiDocument } from './get-store-api-document.ts'
import { listFlows } from './list-flows.ts'

export { productsWhere } from './entry-filters.ts'
export type { ValueType } from './field-rules.ts'
export { copyTemplateEntries, withExtensions } from './template-entries.ts'
export {
  entryOf,
  findTemplates,
  holdEntries,
  keepTemplates,
  type Template,
  type Templates,
  writeEntries,
} from './templates.ts'
export { flowResource }

/** Asks for the chapters when it is called: flows extend what comes below them too. */
export const flows = (chapters: () => readonly Module[]): Module => {
  const extended = extendedBy(chapters)
  const fields = flowFields(extended)
  return module({
    name: 'flows',
    about: 'Fields that a store adds: to resources, to products as templates, and for its own entries.',
    resources: [flowsWith(extended), fields],
    actions: [
      listFlows,
      ...listFieldsOfFlow(fields),
      getFieldOfFlow(fields),
      getStoreApiDocument,
      ...entryOperations(extended),
      ...linkEntry(extended),
    ],
  })
}
