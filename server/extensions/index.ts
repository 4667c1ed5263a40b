import { module } from '../kernel/module.ts'
import { customApis } from './custom-apis.ts'
import { customFields } from './custom-fields.ts'
import { entryOperations } from './entry-operations.ts'
import { getExtensionsApiDocument } from './get-extensions-api-document.ts'

export { entriesOfApi } from './entries-of-api.ts'
export { mayUseEntries } from './entry-operations.ts'
export { matchingNumber, matchingText } from './entry-value-conditions.ts'
export { forgetValues } from './field-changes.ts'

export const extensions = module({
  name: 'extensions',
  about: 'Custom APIs: types of objects that a store adds, with fields of its own, and their entries.',
  resources: [customApis, customFields],
  actions: [getExtensionsApiDocument, ...entryOperations],
})
