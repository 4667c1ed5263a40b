import { module } from '../../kernel/module.ts'

export const payments = module({
  name: 'payments',
  about: 'Says what the transactions of an order have come to, and which payments it takes.',
})
