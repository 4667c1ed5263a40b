import { module } from '../../kernel/module.ts'

export const fieldValues = module({
  name: 'field-values',
  about: 'The values of fields that a store defines: how lists find them, and how they follow their field.',
})
