import { fill } from '../kernel/declare/hook.ts'
import { type Module, module } from '../kernel/module.ts'
import { customApis } from './custom-apis/custom-apis.ts'
import { customFields } from './custom-apis/custom-fields.ts'
import { getExtensionsApiDocument } from './custom-apis/describe-custom-apis.ts'
import { customEntryOperations } from './custom-apis/entry-operations.ts'
import { flowEntryOperations } from './flows/entry-operations.ts'
import { linkOperations } from './flows/entry-relationships.ts'
import { getFieldOfFlow, listFieldsOfFlow } from './flows/fields-of-flow.ts'
import { extendedBy, findExtendedBy } from './flows/find-extended-by.ts'
import { flowFields } from './flows/flow-fields.ts'
import { flows as flowResource, listFlows } from './flows/flows.ts'
import { getStoreApiDocument } from './flows/get-store-api-document.ts'

export const fieldValues = module({
  name: 'field-values',
  about: 'The values of fields that a store defines: how lists find them, and how they follow their field.',
})

export const extensions = module({
  name: 'extensions',
  about: 'Custom APIs: types of objects that a store adds, with fields of its own, and their entries.',
  resources: [customApis, customFields],
  actions: [getExtensionsApiDocument, ...customEntryOperations],
})

/** `chapters` is called late, because flows also extend resources of modules below them. */
export const flows = (chapters: () => readonly Module[]): Module => {
  const findResources = findExtendedBy(chapters)
  return module({
    name: 'flows',
    about: 'Fields that a store adds: to resources, to products as templates, and for its own entries.',
    resources: [flowResource, flowFields],
    actions: [
      ...[listFlows, ...listFieldsOfFlow, getFieldOfFlow, getStoreApiDocument],
      ...flowEntryOperations,
      ...linkOperations,
    ],
    adds: [fill(extendedBy, findResources)],
  })
}
