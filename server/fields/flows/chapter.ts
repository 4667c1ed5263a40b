import { fill } from '../../kernel/declare/hook.ts'
import { type Module, module } from '../../kernel/module.ts'
import { entryOperations } from './entry-operations.ts'
import { linkOperations } from './entry-relationships.ts'
import { getFieldOfFlow, listFieldsOfFlow } from './fields-of-flow.ts'
import { extendedBy, findExtendedBy } from './find-extended-by.ts'
import { flowFields } from './flow-fields.ts'
import { flows as flowResource } from './flows.ts'
import { getStoreApiDocument } from './get-store-api-document.ts'
import { listFlows } from './list-flows.ts'

/** `chapters` is called late, because flows also extend resources of modules below them. */
export const flows = (chapters: () => readonly Module[]): Module => {
  const findResources = findExtendedBy(chapters)
  return module({
    name: 'flows',
    about: 'Fields that a store adds: to resources, to products as templates, and for its own entries.',
    resources: [flowResource, flowFields],
    actions: [
      ...[listFlows, ...listFieldsOfFlow, getFieldOfFlow, getStoreApiDocument],
      ...entryOperations,
      ...linkOperations,
    ],
    adds: [fill(extendedBy, findResources)],
  })
}
