import { module } from '../../kernel/module.ts'

export const imports = module({
  name: 'imports',
  about: 'Imports files whose rows become objects.',
})
