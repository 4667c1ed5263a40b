import { module } from '../../kernel/module.ts'
import { customApis } from './custom-apis.ts'
import { customFields } from './custom-fields.ts'
import { getExtensionsApiDocument } from './describe-custom-apis.ts'
import { entryOperations } from './entry-operations.ts'

export const extensions = module({
  name: 'extensions',
  about: 'Custom APIs: types of objects that a store adds, with fields of its own, and their entries.',
  resources: [customApis, customFields],
  actions: [getExtensionsApiDocument, ...entryOperations],
})
