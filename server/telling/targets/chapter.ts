import { module } from '../../kernel/module.ts'

export const targets = module({
  name: 'targets',
  about: 'How a message reaches a webhook or a queue of the merchant.',
})
